// The bench that this page trains on. One's own is drawn here, so that two quick presses of Start mean the same one.
import {drawnName} from '../shared/plain.js';

let bench = null;

export const useBench = id => {
  bench = id;
};

export const ownBench = () => (bench ||= drawnName());

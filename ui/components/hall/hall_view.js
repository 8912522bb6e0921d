// A room of people: a page that leads or follows goes on doing so after a load, and a signed one keeps its name.
/** @import {Component} from '../component' */
/** @import {HallServer} from '../payloads' */
import {STARTED} from '../train/bench.js';
import {serve} from './hall_server.js';
import {resumeFollowing} from './following.js';
import {resumeLeading} from './leading.js';
import {signAgain} from './wall.js';

/** @param {Component<string, HallServer>} page */
export function start({server}) {
  serve(server);
  resumeLeading();
  resumeFollowing();
  addEventListener(STARTED, signAgain);
}

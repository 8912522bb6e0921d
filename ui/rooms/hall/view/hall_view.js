// A room of people: talks and tours; a page that leads or follows goes on doing so after a load.
/** @import {Component} from '../../../shared/view/component' */
/** @import {HallServer} from '../../../shared/view/payloads' */
import {offer} from '../../../shared/view/offers.js';
import {resumeFollowing} from './following.js';
import {resumeLeading} from './leading.js';
import {talks} from './talks.js';
import {followWord, showAround} from './tour.js';

/** @param {Component<string, HallServer>} page */
export function start({server, trigger}) {
  offer('hall', server);
  offer('open model', model => trigger('open', {model}));
  offer('talks', talks);
  offer('tour', () => showAround());
  offer('word tour', followWord);
  resumeLeading();
  resumeFollowing();
}

// A room of people: a page that leads or follows goes on doing so after a load.
/** @import {Component} from '../component' */
/** @import {HallServer} from '../payloads' */
import {serve} from './hall_server.js';
import {resumeFollowing} from './following.js';
import {resumeLeading} from './leading.js';

/** @param {Component<string, HallServer>} page */
export function start({server}) {
  serve(server);
  resumeLeading();
  resumeFollowing();
}

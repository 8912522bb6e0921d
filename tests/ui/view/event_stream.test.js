// The page's stream of answers, with a server that closes it when no event is pending.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {beforeEach, test} from 'node:test';

const HOST = 'http://127.0.0.1:7860';
const CLOSE = {msg: 'close_stream', event_id: null};
const completed = id => ({
  msg: 'process_completed',
  event_id: id,
  output: {data: ['"event_id":"other"\n\nline']},
});
const framed = message => `data: ${JSON.stringify(message)}\n\n`;

let connections = []; // the server's side of each stream, in order
let status = 200;

const script = readFileSync(
  new URL('../../../ui/frame/view/event_stream.js', import.meta.url),
  'utf8',
);

async function plainFetch(input) {
  const path = new URL(input.url ?? input, HOST).pathname;
  if (path.endsWith('/queue/join')) return Response.json({event_id: String(input).split('#')[1]});
  if (!path.endsWith('/queue/data')) return new Response('plain');
  let controller;
  const body = new ReadableStream({start: given => void (controller = given)});
  connections.push({
    send: message => controller.enqueue(new TextEncoder().encode(message)),
    close: () => controller.close(),
    fail: () => controller.error(new TypeError('network')),
  });
  return new Response(body, {status});
}

const turn = () => new Promise(done => setTimeout(done, 5));
const join = id => fetch(`/gradio_api/queue/join#${id}`);

// What Gradio's client does: opens a stream, and reads messages.
async function listen(signal = new AbortController().signal) {
  const response = await fetch(
    new Request(`${HOST}/gradio_api/queue/data?session_hash=a`, {signal}),
  );
  const heard = [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const ended = (async () => {
    for (let rest = ''; ;) {
      const {done, value} = await reader.read();
      if (done) return;
      const messages = (rest + value).split('\n\n');
      rest = messages.pop();
      for (const message of messages) heard.push(JSON.parse(message.slice(6)));
    }
  })();
  ended.catch(() => {});
  await turn();
  return {heard, ended};
}

beforeEach(() => {
  connections = [];
  status = 200;
  globalThis.window = globalThis;
  globalThis.location = {href: `${HOST}/`, origin: HOST};
  globalThis.fetch = plainFetch;
  new Function(script)();
});

test('an event that is accepted before the close is read is listened for again', async () => {
  await join('a');
  const {heard} = await listen();
  connections[0].send(framed(completed('a')));
  await join('b'); // the server has closed by now, and the page has not read it
  await turn();
  connections[0].send(framed(CLOSE));
  await turn();
  assert.equal(connections.length, 2);
  connections[1].send(framed(completed('b')));
  connections[1].send(framed(CLOSE));
  await turn();
  assert.deepEqual(heard, [completed('a'), completed('b')]);
});

test('nothing is connected while no event is pending, and the next event connects', async () => {
  await join('a');
  const {heard} = await listen();
  connections[0].send(framed(completed('a')) + framed(CLOSE));
  await turn();
  assert.equal(connections.length, 1);
  await join('b');
  await turn();
  assert.equal(connections.length, 2);
  connections[1].send(framed(completed('b')));
  await turn();
  assert.equal(heard.length, 2);
});

test('an answer that comes before its acceptance is not waited for', async () => {
  await join('a');
  await listen();
  connections[0].send(framed(completed('a')) + framed(completed('b')));
  await turn();
  await join('b');
  connections[0].send(framed(CLOSE));
  await turn();
  assert.equal(connections.length, 1);
});

test('messages may be cut anywhere', async () => {
  await join('a');
  const {heard} = await listen();
  for (const letter of framed(completed('a')) + framed(CLOSE)) connections[0].send(letter);
  await turn();
  assert.deepEqual(heard, [completed('a')]);
});

for (const [how, breaks] of Object.entries({
  'that breaks': () => connections.at(-1).fail(),
  'that ends without a close': () => connections.at(-1).close(),
}))
  test(`a connection ${how} is told once, and the next event connects again`, async () => {
    await join('a');
    const {heard} = await listen();
    breaks();
    await turn();
    assert.deepEqual(
      heard.map(({msg}) => msg),
      ['broken_connection'],
    );
    await join('b');
    await turn();
    connections[1].send(framed(completed('b')) + framed(CLOSE));
    await turn();
    assert.deepEqual(heard.at(-1), completed('b'));
    assert.equal(connections.length, 2); // the first event is not waited for any more
  });

test('a stream that is refused is told as broken', async () => {
  await join('a');
  status = 403;
  const {heard} = await listen();
  assert.equal(heard[0].msg, 'broken_connection');
});

test('a client that gives its stream up ends it', async () => {
  const given = new AbortController();
  await join('a');
  const {ended} = await listen(given.signal);
  given.abort();
  await assert.rejects(ended);
  await join('b');
  await turn();
  assert.equal(connections.length, 1); // its next stream is its own
});

test('other requests are passed on as they are', async () => {
  assert.equal(await (await fetch('/gradio_api/info')).text(), 'plain');
  assert.equal((await fetch(`${HOST}/gradio_api/queue/data?session_hash=b`)).status, 200);
  assert.equal(connections.length, 1);
});

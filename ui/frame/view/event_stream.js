// Keeps Gradio's stream of answers open for as long as the page lives, so that no answer is lost.
// The server closes the stream when no event is pending. Gradio 6.31's client does not open another
// one for an event that it has sent before it reads of the close, and then waits for ever. Here the
// client reads one stream without an end; what feeds it is connected while an event is pending.
// Part of the page itself: it stands before Gradio's first request.
(() => {
  const CLOSE = 'data: {"msg":"close_stream"';
  const COMPLETED = '"msg":"process_completed"';
  const BROKEN = {msg: 'broken_connection', message: 'The connection to the server was lost.'};
  const fetchPlainly = window.fetch;
  const encoder = new TextEncoder();
  const pending = new Set(); // events that the server has accepted and not completed
  const early = new Set(); // events whose answer came before the page knew that they were accepted
  let stream = null; // the one that Gradio's client reads

  class EventStream {
    constructor(request) {
      this.request = request;
      this.isConnected = false;
      this.body = new ReadableStream({start: controller => void (this.controller = controller)});
      request.signal.addEventListener('abort', () => this.end());
    }

    // What the client's request is answered with.
    response() {
      void this.connect();
      return new Response(this.body, {headers: {'content-type': 'text/event-stream'}});
    }

    end() {
      if (stream !== this) return;
      stream = null;
      this.controller.error(this.request.signal.reason);
    }

    async connect() {
      if (this.isConnected) return;
      this.isConnected = true;
      const isClosed = await this.pass().catch(() => false);
      this.isConnected = false;
      if (stream !== this) return;
      if (!isClosed) this.breaks();
      else if (pending.size > 0) void this.connect();
    }

    // Passes messages on until the server closes the stream: true. False where the connection has
    // ended before.
    async pass() {
      const response = await fetchPlainly(this.request.clone());
      if (!response.ok || !response.body) return false;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const {done, value} = await reader.read();
        if (done) return false;
        const messages = (rest + value).split('\n\n');
        rest = messages.pop() ?? '';
        for (const message of messages) {
          if (message.trimStart().startsWith(CLOSE)) return true;
          this.take(message);
        }
      }
    }

    take(message) {
      if (stream !== this) return;
      const id = message.includes(COMPLETED) && /"event_id":"(\w+)"/.exec(message)?.[1];
      if (id && !pending.delete(id)) early.add(id);
      this.controller.enqueue(encoder.encode(`${message}\n\n`));
    }

    // Every event that is pending ends with an error, as Gradio's client has it; later ones connect
    // again.
    breaks() {
      pending.clear();
      this.take(`data: ${JSON.stringify(BROKEN)}`);
    }
  }

  async function accepted(response) {
    const {event_id: id} = await response.clone().json();
    if (!early.delete(id)) pending.add(id);
    if (stream && pending.size > 0) void stream.connect();
  }

  window.fetch = async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : String(input), location.href);
    const isOurs = address.origin === location.origin;
    if (isOurs && input instanceof Request && address.pathname.endsWith('/gradio_api/queue/data')) {
      stream = new EventStream(input);
      return stream.response();
    }
    const response = await fetchPlainly(input, init);
    if (isOurs && response.ok && address.pathname.endsWith('/gradio_api/queue/join'))
      await accepted(response);
    return response;
  };
})();

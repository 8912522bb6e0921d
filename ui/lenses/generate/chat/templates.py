"""HTML of the view."""

CHAT = """
<p class="conclusion ch-said" role="status"></p>
<div class="ch-two u-two" style="--columns: 3fr 2fr"><section><h3>Chat</h3><div class="ch-log u-pane" role="log" aria-label="Conversation" tabindex="0"></div>
<div class="u-spread u-apart"><textarea class="ch-text u-grow" rows="2" aria-label="Message" placeholder="Write a message, or pick one below"></textarea>
<div class="ch-buttons u-row"><button type="button" class="ch-send u-act" data-do="send">Send</button>
<button type="button" data-do="stop">Stop</button></div></div>
<div class="ch-starters u-apart u-row" role="group" aria-label="Messages to begin with"></div>
<div class="ch-context u-line u-row u-apart u-muted u-type-xs"><span class="ch-bar u-meter u-ramp" role="img" aria-label="nothing of its window is used yet"><i></i></span><span class="ch-used"></span></div>
<div class="ch-tools u-apart u-row"><button type="button" data-do="again">Another answer</button>
<button type="button" data-do="new">New conversation</button>
<button type="button" data-do="save">Save .txt</button></div></section>
<section><h3>The same words, continued</h3><p class="u-muted">A plain GPT does not answer. It takes your words as the
beginning of a text.</p><p class="ch-plain u-reading" aria-live="polite"></p></section></div>
"""

"""How the page looks: colours, fonts that ship with Gradio, keyboard shortcuts and the presenter's large type."""

from __future__ import annotations

import gradio as gr

# One family from paper to ink, one accent, one hue for surprise; no red-green pair anywhere.
_INK = gr.themes.Color(
    name="ink", c50="#f6f7fb", c100="#eceef5", c200="#d8dce8", c300="#b5bccf", c400="#8790ab", c500="#616b88",
    c600="#4a5470", c700="#384158", c800="#242b3d", c900="#161c2b", c950="#0d111c",
)  # fmt: skip
_LENS = gr.themes.Color(
    name="lens", c50="#eef7fb", c100="#d4ebf5", c200="#a9d6ea", c300="#72badb", c400="#3c99c6", c500="#1f7dad",
    c600="#156591", c700="#125275", c800="#12455f", c900="#133a50", c950="#0a2536",
)  # fmt: skip


def make_theme() -> gr.themes.Base:
    """The theme, in light and dark."""
    return gr.themes.Base(
        primary_hue=_LENS,
        secondary_hue=_INK,
        neutral_hue=_INK,
        radius_size=gr.themes.sizes.radius_sm,
        spacing_size=gr.themes.sizes.spacing_sm,
        font=[gr.themes.LocalFont("IBM Plex Sans", weights=(400, 700)), "ui-sans-serif", "system-ui", "sans-serif"],
        font_mono=[gr.themes.LocalFont("IBM Plex Mono", weights=(400, 700)), "ui-monospace", "monospace"],
    ).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        block_border_width="1px",
        block_shadow="none",
        block_title_text_weight="700",
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_dark="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_text_color="white",
        slider_color="*primary_500",
        input_border_width="1px",
        input_border_color="*neutral_200",
        input_border_color_dark="*neutral_700",
        input_background_fill="white",
        input_background_fill_dark="*neutral_900",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )


CSS = """
:root{--lens-surprise:#e2892b;--lens-accent:#1f7dad;--lens-line:#616b88;--lens-bar:#8cc4df;--lens-cut:#d8dce8;--lens-paper:#ffffff;--lens-blank:#e4e7f0;--lens-share:linear-gradient(90deg,#ffffff,#acd4e9 6%,#72badb 25%,#3f809b 56%,#12455f);--lens-reading-size:17px}
.dark{--lens-surprise:#c8701a;--lens-accent:#3c99c6;--lens-line:#b5bccf;--lens-bar:#156591;--lens-cut:#384158;--lens-paper:#0d111c;--lens-blank:#242b3d;--lens-share:linear-gradient(90deg,#0d111c,#113b56 6%,#156591 25%,#5f9ebe 56%,#a9d6ea)}
.gradio-container{max-width:1480px!important;width:100%!important;margin:0 auto!important;padding:.6em 1em!important}
.main.fillable{padding:.2em .6em!important}
#head .column{gap:.25em!important}
.html-container{padding:0!important}
#head{align-items:center;gap:.4em 1.2em}
#title h1{font-size:1.45em;margin:0;letter-spacing:-.01em;line-height:1.2}
#title p{color:var(--body-text-color-subdued);margin:0;font-size:.86em}
.uses .prose{color:var(--body-text-color-subdued);font-size:.86em;padding:0 .2em}
[role=tabpanel]{position:relative}
@media (min-width:900px){.uses{position:absolute!important;right:0;top:-1.8em;width:auto!important;white-space:nowrap;z-index:1}}
/* Gradio hides tabs that do not fit behind a menu, by the widths of these copies; without widths the bar scrolls. */
.tab-container.visually-hidden button{width:0!important;padding:0!important;font-size:0!important}
[role=tablist].tab-container{overflow-x:auto;scrollbar-width:thin}[role=tablist].tab-container button{flex:none;white-space:nowrap}
[role=option][aria-label*="not available here"]{opacity:.55;pointer-events:none}
#pick{gap:.3em .8em!important;align-items:center}#pick #model{flex:1 1 220px}#pick #facts{flex:1 0 100%}
#moment{flex:0 1 250px!important;display:flex!important;align-items:center;gap:.5em}#moment .head,#moment .min_value,#moment .max_value,#moment .reset-button{display:none!important}#moment>*{flex:1}
#moment::before{content:"trained for";font-size:.8em;color:var(--body-text-color-subdued);white-space:nowrap}
#facts .prose{color:var(--body-text-color-subdued);font-size:.86em;min-height:1.4em;padding:0 .2em}
#attention-head{margin-top:-.3em}#sink .wrap{gap:.3em}.attention-more{align-items:center;flex-wrap:nowrap}#woken .prose{font-size:.95em;color:var(--body-text-color-subdued)}
.shape-sliders .form,.shape-switches .form{display:grid!important;grid-template-columns:repeat(2,minmax(0,1fr));gap:0!important}.shape-sliders .head{flex-wrap:nowrap!important}.shape-sliders .min_value,.shape-sliders .max_value{display:none}.shape-switches .form>*{min-width:0!important}
#space-warning{border:1px solid var(--lens-surprise);border-radius:6px;padding:.3em .6em;align-items:center}
.off-screen{position:absolute!important;left:-9999px!important}.said .refused{border-left:3px solid var(--lens-surprise);padding:.2em .6em;color:var(--body-text-color);margin:0}body.following #train-form{display:none!important}#train-form button{padding-left:.4em;padding-right:.4em;white-space:nowrap}
#zs-stream{--ts-height:5.6em}#zs-stream .ts-detail{min-height:3.2em}#zs-another{align-self:end;height:auto;font-weight:400;font-size:.9em}.zs-buttons{justify-content:flex-start}.zs-buttons button{flex:0 0 auto}
.steps,.presets{display:grid!important;grid-template-columns:repeat(4,minmax(0,1fr));gap:.4em}
.presets{grid-template-columns:repeat(6,minmax(0,1fr))}
.sliders .form{display:grid!important;grid-template-columns:repeat(3,minmax(0,1fr));gap:0!important}
.sliders .head{flex-wrap:nowrap!important}
.seeds{display:grid!important;grid-template-columns:max-content minmax(0,2fr) minmax(0,2.4fr) minmax(0,1.4fr);gap:.5em;align-items:center}
.seeds::before{content:"Seed";font-weight:700;font-size:.92em}
footer .divider{display:none}
.steps button,.presets button{min-width:0!important;padding-left:.2em;padding-right:.2em}
button.primary{color:white!important}
button:focus-visible,[role=tab]:focus-visible,textarea:focus-visible,input:focus-visible,.ts-text:focus-visible{outline:3px solid var(--lens-accent)!important;outline-offset:1px}
.compare .token-stream{--ts-height:13em;--lens-reading-size:14px}
body.present .gradio-container{--text-sm:17px;--text-md:19px;--text-lg:22px;--lens-reading-size:27px;max-width:100%!important}
.dark [role=tab][aria-selected=true]{color:var(--primary-300)!important}
#keys .prose{font-size:.82em;color:var(--body-text-color-subdued);text-align:center}
.compare .ts-stats{min-height:3.2em}
body.present .token-stream{--ts-height:8.5em}
body.present .sliders .info-text{display:none}
body.present textarea{font-size:22px!important}
body.present .attention-view,body.present .lens-view,body.present .ablation-view{font-size:1.15em}
body.present .train-view,body.present .zero-shot-view,body.present .sh-box{font-size:1.15em}
body.present .at-map,body.present .at-grid{font-size:17px}
body.present footer,body.present .no-present{display:none!important}
body.present .token-stream .ts-detail,body.present .distribution-view{font-size:1.15em}
@media (max-width:640px){
#keys{display:none!important}
#tabs>.tab-wrapper [role=tab]{padding-left:.32em!important;padding-right:.32em!important;font-size:.88em!important}
[role=tab]{padding-left:.55em!important;padding-right:.55em!important}
.gradio-container,.main.fillable{padding:.2em!important}:root{--lens-reading-size:16px}
.sliders .form,.steps{grid-template-columns:repeat(2,minmax(0,1fr))}.presets{grid-template-columns:repeat(3,minmax(0,1fr))}
}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
"""

# Keys for the stage: G generate, N next token, S stop, P presenter, D dark, 1 to 5 the tabs. Those that press a button
# press one that is on screen. A second click on a main button within a quarter of a second is the same click;
# on others, one within the time that no hand needs.
JS = """
() => {
  const silent = ['range', 'checkbox', 'radio', 'button'];
  const typing = e => ['TEXTAREA', 'SELECT'].includes(e.target.tagName) || e.target.isContentEditable ||
    (e.target.tagName === 'INPUT' && !silent.includes(e.target.type));
  const outerTabs = () => [...document.querySelectorAll('#tabs [role=tab]')].filter(tab => tab.closest('.tabs')?.id === 'tabs');
  const press = selector => [...document.querySelectorAll(selector)].find(button => button.offsetParent)?.click();
  const keys = {
    g: () => press('#tabs button.primary'), n: () => press('#next-token'), s: () => press('#tabs button.stop, #train [data-cmd=stop]'),
    p: () => { document.body.classList.toggle('present'); window.dispatchEvent(new Event('resize')); },
    d: () => document.body.classList.toggle('dark'),
  };
  // A text box keeps its height when the type or the width changes; its last line must not be cut.
  const fit = () => document.querySelectorAll('textarea').forEach(area => {
    if (!area.offsetParent) return;
    area.style.height = 'auto';
    area.style.height = Math.min(area.scrollHeight + 2, 300) + 'px';
  });
  window.addEventListener('resize', () => setTimeout(fit, 60));
  const pressed = new WeakMap();
  document.addEventListener('click', e => {
    const button = e.target.closest?.('#tabs button');
    if (!button) return;
    const soonest = button.classList.contains('primary') ? 250 : 40;  // milliseconds; nobody clicks faster
    if (performance.now() - (pressed.get(button) ?? -1000) < soonest) { e.stopImmediatePropagation(); e.preventDefault(); }
    else pressed.set(button, performance.now());
  }, true);
  // A name for this browser tab that a reload keeps, so that its text comes back; another link is another visit.
  window.gptlensVisit = () => {
    try {
      const key = 'gptlens-visit', kept = JSON.parse(sessionStorage.getItem(key) || 'null');
      if (kept && kept.search === location.search) return kept.name;
      const name = [...crypto.getRandomValues(new Uint8Array(24))].map(byte => (byte % 36).toString(36)).join('');
      sessionStorage.setItem(key, JSON.stringify({name, search: location.search}));
      return name;
    } catch { return ''; }
  };
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || typing(e)) return;
    const key = e.key.toLowerCase();
    if (keys[key]) { keys[key](); e.preventDefault(); }
    else if ('12345'.includes(key)) outerTabs()[+key - 1]?.click();
  });
  if (new URLSearchParams(location.search).get('present') === '1') document.body.classList.add('present');
}
"""

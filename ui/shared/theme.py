"""How the page looks: colours, and fonts that ship with Gradio. Its style sheets are in `view/`."""

import gradio as gr

# One family from paper to ink, one accent, one hue for surprise; no red-green pair anywhere.
# Each from its lightest, c50, to its darkest, c950.
_INK = gr.themes.Color(
    "#f6f7fb", "#eceef5", "#d8dce8", "#b5bccf", "#8790ab", "#616b88",
    "#4a5470", "#384158", "#242b3d", "#161c2b", "#0d111c", name="ink",
)  # fmt: skip
_LENS = gr.themes.Color(
    "#eef7fb", "#d4ebf5", "#a9d6ea", "#72badb", "#3c99c6", "#1f7dad",
    "#156591", "#125275", "#12455f", "#133a50", "#0a2536", name="lens",
)  # fmt: skip

# The six sizes of type; presenter mode makes them grow with the wall (`view/stage.css`).
_TYPE = gr.themes.Size(
    name="type", xxs="12px", xs="12px", sm="13px", md="14px", lg="16px", xl="20px", xxl="27px"
)


def make_theme() -> gr.themes.Base:
    """The theme, in light and dark."""
    return gr.themes.Base(
        primary_hue=_LENS,
        secondary_hue=_INK,
        neutral_hue=_INK,
        radius_size=gr.themes.sizes.radius_sm,
        text_size=_TYPE,
        spacing_size=gr.themes.sizes.spacing_sm,
        font=[
            gr.themes.LocalFont("IBM Plex Sans", weights=(400, 700)),
            "ui-sans-serif",
            "system-ui",
            "sans-serif",
        ],
        font_mono=[
            gr.themes.LocalFont("IBM Plex Mono", weights=(400, 700)),
            "ui-monospace",
            "monospace",
        ],
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

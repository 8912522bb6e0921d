"""What several lenses use: fields and inputs, the picker, sheets, component files; scripts and
styles in `view/`.
"""

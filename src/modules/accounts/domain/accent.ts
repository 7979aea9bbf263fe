/* The colours of an account on its payment pages. Whatever colour it chooses, texts keep a contrast of 4.5 (WCAG AA). */

type Rgb = readonly [number, number, number]

interface Theme {
  paper: Rgb
  panel: Rgb
  edge: string
  /** The colour towards which an unreadable colour is shifted. */
  towards: Rgb
}

const AA = 4.5
const AA_SHAPES = 3
const STEPS = 100
const SOFT_SHARE = 0.12
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** The background colours of `src/web/assets/gateway.css`; a test compares them. */
export const THEMES: Record<'light' | 'dark', Theme> = {
  light: { paper: WHITE, panel: [0xf4, 0xf7, 0xfa], edge: '#7b8a98', towards: BLACK },
  dark: {
    paper: [0x0f, 0x16, 0x1d],
    panel: [0x18, 0x22, 0x2c],
    edge: '#6d7f90',
    towards: WHITE,
  },
}

/** The merchant's colour as `#1a5fc7`; undefined when the text is not a colour. */
export function toAccent(text: string): string | undefined {
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const six = digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join('')
  return `#${six.toLowerCase()}`
}

const toRgb = (accent: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16)) as never
const toHex = (colour: Rgb) => `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
const mix = (one: Rgb, other: Rgb, share: number): Rgb =>
  one.map((part, at) => Math.round(part * (1 - share) + other[at]! * share)) as never

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const level = part / 255
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

/** A colour and a readable text on it, for mails. */
export function paintOf(accent: string) {
  const { fill, fillInk } = coloursIn(THEMES.light, accent)
  return { fill: toHex(fill), ink: toHex(fillInk) }
}

interface Colours {
  /** The colour of texts, and of the focus ring. */
  accent: Rgb
  /** The background of buttons: the merchant's colour itself. */
  fill: Rgb
  fillInk: Rgb
  soft: Rgb
  edge: string
}

/** The readable colours of a theme that come closest to the merchant's colour. */
export function coloursIn({ paper, panel, edge, towards }: Theme, accent: string): Colours {
  const fill = toRgb(accent)
  const soft = mix(paper, fill, SOFT_SHARE)
  const isRead = (colour: Rgb) => [paper, panel, soft].every((ground) => contrast(colour, ground) >= AA)
  let text = fill
  for (let step = 1; step <= STEPS && !isRead(text); step++) text = mix(fill, towards, step / STEPS)
  return {
    accent: text,
    fill,
    fillInk: contrast(fill, WHITE) >= contrast(fill, BLACK) ? WHITE : BLACK,
    soft,
    // A button in the colour of the page needs a visible edge.
    edge: contrast(fill, paper) >= AA_SHAPES ? toHex(fill) : edge,
  }
}

/** The style sheet that a page loads after the shared ones. It has a URL of its own, because pages may contain no inline styles. */
export function accentSheet(accent: string): string {
  const rules = (theme: Theme) => {
    const { accent: text, fill, fillInk, soft, edge } = coloursIn(theme, accent)
    return (
      `.pay{--accent:${toHex(text)};--accent-ink:${toHex(theme.paper)};--accent-soft:${toHex(soft)};` +
      `--brand:${toHex(fill)};--brand-ink:${toHex(fillInk)}}` +
      `.pay .button:not(.quiet){background:${toHex(fill)};color:${toHex(fillInk)};border-color:${edge}}`
    )
  }
  return `${rules(THEMES.light)}@media (prefers-color-scheme:dark){${rules(THEMES.dark)}}\n`
}

/** Readable on light and dark backgrounds, and for colour-blind readers. */
const COLOURS = ['#2f7ed8', '#d9822b', '#1a9c6b', '#a45ad0', '#d0456b', '#7b8794']

export const colour = (at: number) => COLOURS[at % COLOURS.length]!
export const round = (value: number) => Math.round(value * 10) / 10

interface Frame {
  width: number
  height: number
  left: number
  /** Text alternative. */
  label: string
  title: string
  parts: readonly string[]
}

/** The frame of every chart: backgrounds for light and dark pages, fonts, and a title. */
export const drawFrame = ({ width, height, left, label, title, parts }: Frame): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<style>
  svg { background: #fff; color: #24292f; font: 14px system-ui, sans-serif }
  text { fill: currentColor } .title { font-weight: 600 } .head { font-weight: 600; font-size: 18px } .grid { stroke: currentColor; stroke-opacity: .15 }
  @media (prefers-color-scheme: dark) { svg { background: #0d1117; color: #e6edf3 } .ground { fill: #0d1117 } }
</style>
<rect class="ground" width="100%" height="100%" fill="#fff"/>
<text class="head" x="${left}" y="30">${title}</text>
${parts.join('\n')}
</svg>
`

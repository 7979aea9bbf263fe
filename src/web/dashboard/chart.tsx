/** One day of a chart. The height is decoration: the information is in the text. */
export interface Bar {
  date: string
  /** From 0 to 1 of the chart's height. */
  height: number
  text: string
  /** A part of the bar that is drawn solid; the rest is pale. */
  full?: number | undefined
}

const WIDTH = 600
const HEIGHT = 120
const GAP = 4

/** Shares of the largest value, exact for money because integers are divided. */
export function toHeights(values: readonly bigint[]): number[] {
  const most = values.reduce((max, value) => (value > max ? value : max), 0n)
  return values.map((value) => (most === 0n ? 0 : Number((value * 10_000n) / most) / 10_000))
}

/** Bars by day, drawn on the server. A table below has the same numbers for readers who do not see them. */
export const DayChart = (props: { title: string; summary: string; unit: string; bars: readonly Bar[] }) => {
  const { title, summary, unit, bars } = props
  const step = WIDTH / Math.max(1, bars.length)
  const first = bars.at(0)?.date ?? ''
  const last = bars.at(-1)?.date ?? ''
  const caption = (
    <figcaption>
      <span class="chart-title">{title}</span>
      <span class="chart-summary">{summary}</span>
    </figcaption>
  )
  // Where nothing happened, the caption says all there is.
  if (bars.every(({ height }) => height === 0)) return <figure class="chart">{caption}</figure>
  return (
    <figure class="chart">
      {caption}
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. ${summary}`}
      >
        <line x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} class="axis" />
        {bars.map((bar, at) => {
          // Any value above zero must be visible.
          const height = bar.height > 0 ? Math.max(3, bar.height * HEIGHT) : 0
          const full = bar.full === undefined ? height : height * bar.full
          const x = (at * step + GAP / 2).toFixed(1)
          const width = (step - GAP).toFixed(1)
          return (
            <g key={bar.date}>
              <title>{`${bar.date}: ${bar.text}`}</title>
              <rect x={x} y="0" width={width} height={HEIGHT} class="hit" />
              {height > full && (
                <rect
                  x={x}
                  y={(HEIGHT - height).toFixed(1)}
                  width={width}
                  height={height.toFixed(1)}
                  class="pale"
                  rx="2"
                />
              )}
              {full > 0 && (
                <rect x={x} y={(HEIGHT - full).toFixed(1)} width={width} height={full.toFixed(1)} class="bar" rx="2" />
              )}
            </g>
          )
        })}
      </svg>
      <p class="chart-ends" aria-hidden="true">
        <span>{shortDate(first)}</span>
        <span>{shortDate(last)}</span>
      </p>
      <details>
        <summary>
          Show data<span class="unseen">{` for ${title}`}</span>
        </summary>
        <div class="table" role="region" aria-label={`Data for ${title}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">{unit}</th>
              </tr>
            </thead>
            <tbody>
              {bars.toReversed().map((bar) => (
                <tr key={bar.date}>
                  <td>{bar.date}</td>
                  <td>{bar.text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function shortDate(date: string): string {
  const [, month, day] = date.split('-')
  return month === undefined ? '' : `${Number(day)} ${MONTHS[Number(month) - 1]}`
}

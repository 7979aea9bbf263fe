/** One day of the chart. */
interface TakingsDay {
  date: string
  /** As people say it: `Wed 18 Nov`. */
  name: string
  value: bigint
  /** The value as text. */
  text: string
}

const LINES_MAX = 5

/** The distance of the lines of a scale: 1, 2 or 5 with zeros. */
function stepOf(most: bigint): bigint {
  let step = 1n
  for (let at = 0; step * BigInt(LINES_MAX) < most; at++) step = at % 3 === 1 ? (step * 5n) / 2n : step * 2n
  return step
}

/** Takings by day, from zero, with a scale. Each day is in the table below for those who do not see bars. */
export const TakingsChart = (props: {
  days: readonly TakingsDay[]
  /** The sum of all days, as text. */
  sum: string
  periods: readonly number[]
  show(value: bigint): string
}) => {
  const { days, sum, periods, show } = props
  const most = days.reduce((max, { value }) => (value > max ? value : max), 1n)
  const step = stepOf(most)
  const lines = (most + step - 1n) / step
  const top = lines * step
  const marks = Array.from({ length: Number(lines) + 1 }, (_, at) => BigInt(at) * step)
  const percent = (value: bigint) => (value <= 0n ? 0 : Number((value * 10_000n) / top) / 100)
  const width = 100 / days.length
  const best = days.reduce((one, other) => (other.value > one.value ? other : one))
  const middle = days[Math.floor(days.length / 2)]!
  return (
    <section class="card takings" aria-labelledby="takings">
      <div class="head">
        <div>
          <h2 id="takings">Takings by day</h2>
          <p class="soft small">
            <span class="money">{sum}</span>
            {` in ${days.length} days, refunds taken off`}
          </p>
        </div>
        <nav class="seg" aria-label="Period">
          {periods.map((period) => (
            <a
              key={period}
              href={`/dashboard?days=${period}`}
              aria-current={period === days.length ? 'page' : undefined}
            >
              {period}
              <span class="unseen"> days</span>
            </a>
          ))}
        </nav>
      </div>
      <div class="plot">
        <div class="scale" aria-hidden="true">
          {marks.toReversed().map((mark) => (
            <span key={String(mark)}>{show(mark)}</span>
          ))}
        </div>
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={`Takings by day, ${days[0]!.name} to ${days.at(-1)!.name}. Best day ${best.name} with ${best.text}. Every day is in the table below.`}
        >
          {marks.map((mark) => (
            <line key={String(mark)} x1="0" x2="100" y1={100 - percent(mark)} y2={100 - percent(mark)} />
          ))}
          {days.map(({ date, name, value, text }, at) => (
            <rect
              key={date}
              x={(at * width + width * 0.15).toFixed(2)}
              y={(100 - percent(value)).toFixed(2)}
              width={(width * 0.7).toFixed(2)}
              height={percent(value).toFixed(2)}
              class={at === days.length - 1 ? 'now' : undefined}
            >
              <title>{`${name}: ${text}${at === days.length - 1 ? ' so far' : ''}`}</title>
            </rect>
          ))}
        </svg>
        <p class="ends" aria-hidden="true">
          <span>{days[0]!.name}</span>
          <span>{middle.name}</span>
          <span>Today</span>
        </p>
      </div>
      <p class="soft small">{best.value > 0n ? `Best day: ${best.name}, ${best.text}. ` : ''}Outlined: today so far.</p>
      <details>
        <summary class="small">Show as a table</summary>
        <table aria-label="Takings by day">
          <tbody>
            {days.toReversed().map(({ date, name, text }) => (
              <tr key={date}>
                <th scope="row">{name}</th>
                <td class="right">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

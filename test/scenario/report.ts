import type { Report } from './run.ts'

/** A report as lines for a terminal. */
export function toLines({ here, there, differences }: Report): string[] {
  const width = Math.max(...here.outcomes.map(({ title }) => title.length))
  const cell = (outcome: Report['here']['outcomes'][number] | undefined) =>
    `${outcome?.failure === undefined ? 'passed' : 'FAILED'} ${outcome?.seconds.toFixed(1).padStart(5)} s`
  const rows = here.outcomes.map(
    ({ title }, at) => `${title.padEnd(width)}   ${cell(here.outcomes[at])}   ${cell(there.outcomes[at])}`,
  )
  const failures = [
    { where: 'here', ...here },
    { where: 'there', ...there },
  ].flatMap(({ where, outcomes, kept }) => [
    ...outcomes.flatMap(({ title, failure }) =>
      failure === undefined ? [] : [`FAILED ${where}: ${title}: ${failure}`],
    ),
    ...(kept === undefined ? [] : [`The gateway ${where} keeps its wallets in ${kept}.`]),
  ])
  const told =
    differences.length === 0 ? ['What differs: nothing.'] : ['What differs:', ...differences.map((line) => `  ${line}`)]
  return [`${''.padEnd(width)}   embedded here    node there`, ...rows, '', ...failures, ...told]
}

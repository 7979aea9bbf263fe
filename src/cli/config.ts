import { checkStart } from '../config/check-start.ts'
import { describeConfig } from '../config/config.ts'
import { systemClock } from '../infra/clock.ts'

/** Prints every setting, or with `--check` what is wrong with them. The documents' table is this output. */
export function printConfig({ json = false, check = false }: { json?: boolean; check?: boolean }): void {
  if (check) {
    printCheck(json)
    return
  }
  const rows = describeConfig()
  if (json) {
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  for (const { name, value, default: fallback, meaning } of rows) {
    console.log(`${name}=${value}`)
    console.log(`    ${meaning} Default: ${fallback === '' ? '(none)' : fallback}`)
  }
}

/** Says what a start would say, without starting. */
function printCheck(json: boolean): void {
  const { atDesk, problems, warnings } = checkStart(systemClock)
  if (problems.length > 0) process.exitCode = 1
  if (json) {
    console.log(JSON.stringify({ ok: problems.length === 0, at_desk: atDesk, problems, warnings }, null, 2))
    return
  }
  for (const problem of problems) console.log(`wrong    ${problem}`)
  for (const warning of warnings) console.log(`warning  ${warning}`)
  if (problems.length === 0)
    console.log(`The gateway can start with these settings, as a ${atDesk ? 'local' : 'public'} gateway.`)
}

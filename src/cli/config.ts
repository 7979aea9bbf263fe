import { checkStart } from '../config/check-start.ts'
import { describeConfig } from '../config/config.ts'
import { checkConnections } from '../infra/check-connections.ts'
import { systemClock } from '../infra/clock.ts'

interface ConfigOptions {
  json?: boolean
  check?: boolean
  offline?: boolean
}

/**
 * Prints every setting, or with `--check` what is wrong with them. The table in the documents is made from this output.
 */
export async function printConfig({ json = false, check = false, offline = false }: ConfigOptions): Promise<void> {
  if (check) return printCheck({ json, offline })
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

/** Prints the errors and warnings that a start would report, without starting. */
async function printCheck({ json, offline }: { json: boolean; offline: boolean }): Promise<void> {
  const { config, isLocal, ...found } = checkStart(systemClock)
  const tried = config && !offline ? await checkConnections(config) : { problems: [], warnings: [] }
  const [problems, warnings] = [
    [...found.problems, ...tried.problems],
    [...found.warnings, ...tried.warnings],
  ]
  if (problems.length > 0) process.exitCode = 1
  if (json) {
    console.log(JSON.stringify({ ok: problems.length === 0, at_desk: isLocal, problems, warnings }, null, 2))
    return
  }
  for (const problem of problems) console.log(`wrong    ${problem}`)
  for (const warning of warnings) console.log(`warning  ${warning}`)
  if (problems.length === 0)
    console.log(`The gateway can start with these settings, as a ${isLocal ? 'local' : 'public'} gateway.`)
}

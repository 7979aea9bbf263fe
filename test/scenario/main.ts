/* `npm run scenario -- --node http://…`: see CONTRIBUTING.md. Exits with 1 if a step failed. */
import { readOptions } from './options.ts'
import { toLines } from './report.ts'
import { hasFailed, runScenario } from './run.ts'

const readOrExit = () => {
  try {
    return readOptions(process.argv.slice(2), process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
const report = await runScenario(readOrExit(), { tell: (line) => console.error(line) })
for (const line of toLines(report)) console.log(line)
process.exit(hasFailed(report) ? 1 : 0)

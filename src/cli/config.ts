import { describeConfig } from '../config.ts'

/** Prints every setting. The documents' table is this output. */
export function printConfig({ json = false }: { json?: boolean }): void {
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

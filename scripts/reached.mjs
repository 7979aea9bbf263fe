/** Reads the lines that ran, by file, from an lcov report. */
export function readReached(report) {
  const lines = {}
  let file = ''
  for (const entry of report.split('\n')) {
    if (entry.startsWith('SF:')) lines[(file = entry.slice(3))] = []
    const [, line, count] = /^DA:(\d+),(\d+)/.exec(entry) ?? []
    if (line !== undefined && count !== '0') lines[file].push(Number(line))
  }
  return lines
}

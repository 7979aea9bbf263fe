import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { Metrics } from './metrics.ts'
import { Sources } from './sources.ts'

test('a source that began to fail, and one that came back, are reported once each and counted; every failure is counted', async () => {
  const lines: string[] = []
  const metrics = new Metrics()
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const sources = new Sources({ log, metrics })
  sources.answered('price', 'kraken')
  assert.deepEqual(lines, [])
  for (let times = 0; times < 3; times++) sources.failed('price', 'kraken', 'status 500')
  sources.failed('work', 'cpu', 'gone')
  assert.equal(lines.length, 2)
  assert.match(
    lines[0]!,
    /"event":"source_state","kind":"price","source":"kraken","state":"failing","reason":"status 500"/,
  )
  const during = await metrics.text()
  assert.match(during, /gateway_source_failing\{kind="price",source="kraken"\} 1/)
  assert.match(during, /gateway_source_failures_total\{kind="price",source="kraken"\} 3/)
  sources.answered('price', 'kraken')
  sources.answered('price', 'kraken')
  assert.equal(lines.length, 3)
  const after = await metrics.text()
  assert.match(after, /gateway_source_failing\{kind="price",source="kraken"\} 0/)
  assert.match(after, /gateway_source_state_changes_total\{kind="price",source="kraken",state="failing"\} 1/)
  assert.match(after, /gateway_source_state_changes_total\{kind="price",source="kraken",state="well"\} 1/)
})

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type Gateway, openGateway, readMetrics, sharedKeys } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { TcpRelay } from '../support/tcp-relay.ts'

/* The files in deploy/ must fit this version of the gateway. */

const read = (file: string) => readFileSync(join(resolve(import.meta.dirname, '../../deploy'), file), 'utf8')

/** Words of PromQL that look like names of metrics or labels. */
const KEYWORDS = new Set(
  'by and or on without ignoring sum max min rate increase topk vector histogram_quantile'.split(' '),
)
/** Metrics of Prometheus itself. */
const FOREIGN_METRICS = new Set(['up'])
const FOREIGN_LABELS = new Set(['job', 'instance', 'le'])

/** Names of metrics in an expression, with the labels in its braces. */
function namesIn(expression: string): { metric: string; labels: string[] }[] {
  return [...expression.replaceAll(/\[[^\]]*\]/g, '').matchAll(/([a-z_][a-z0-9_]+)\s*(\{[^}]*\}|(?=[\s)<>=-]|$))/g)]
    .map(([, metric = '', braces = '']) => ({
      metric,
      labels: [...braces.matchAll(/([a-z_]+)\s*[=!]/g)].map((match) => match[1]!),
    }))
    .filter(({ metric }) => !KEYWORDS.has(metric) && /^(gateway_|process_|nodejs_|up$)/.test(metric))
}

/** The exposed series by name, with their labels. */
async function exposed(gateway: Gateway): Promise<Set<string>> {
  const text = await readMetrics(gateway)
  const names = new Set<string>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    names.add(name)
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`)
  }
  return names
}

/** Every label of our metrics, read from their declarations. */
function declaredLabels(): Set<string> {
  const root = resolve(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(({ name }) =>
    /^(metrics|request-counts|gauges|sources|open|app)\.ts$/.test(name),
  )
  const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n')
  const lists = [
    ...text.matchAll(/(?:labelNames|labels): \[([^\]]*)\]|gauge\([^[]*\[([^\]]*)\]|#counter\(\s*'\w+',([^)]*)\)/g),
  ]
  return new Set(
    lists.flatMap(([, a, b, c]) => [...(a ?? b ?? c ?? '').matchAll(/'(\w+)'/g)].map((match) => match[1]!)),
  )
}

test('the board and the alarms ask for metrics and labels that the gateway has', async (t) => {
  const metrics = await exposed(await openGateway(t))
  const labels = declaredLabels()
  const board = JSON.parse(read('grafana/board.json')) as { panels: { title: string; targets?: { expr: string }[] }[] }
  const alarms = [...read('prometheus/alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map((match) => match[1]!)
  const expressions = [...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...alarms]
  assert.ok(expressions.length > 40)
  const wrong: string[] = []
  for (const expression of expressions) {
    const names = namesIn(expression)
    if (names.length === 0) wrong.push(`no metric in ${expression}`)
    for (const { metric, labels: asked } of names) {
      if (!metrics.has(metric) && !FOREIGN_METRICS.has(metric)) wrong.push(`${metric} in ${expression}`)
      for (const label of asked) {
        if (!labels.has(label) && !FOREIGN_LABELS.has(label)) wrong.push(`${label} of ${metric} in ${expression}`)
      }
    }
    for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of list.split(',').map((name) => name.trim())) {
        if (!labels.has(label) && !FOREIGN_LABELS.has(label)) wrong.push(`${label} in ${expression}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
})

test('the container holds every folder that the gateway reads beside its code', () => {
  const root = resolve(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.includes('.test.'),
  )
  const folders = files.flatMap((entry) => {
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    return [...text.matchAll(/new URL\('(?:\.\.\/)+([a-z]+)\/[^']*', import\.meta\.url\)/g)].map((match) => match[1]!)
  })
  assert.ok(folders.includes('docs'))
  for (const folder of folders) {
    assert.match(read('Containerfile'), new RegExp(`^COPY --from=build .*/build/${folder} `, 'm'))
    assert.match(read('Containerfile.dockerignore'), new RegExp(`^!${folder}$`, 'm'))
  }
})

test('a gateway held a quarter more memory than it used, because its allocator was not set to return it: every way to start one says the same', () => {
  const root = resolve(import.meta.dirname, '../..')
  const toldBy = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(MALLOC_[A-Z_]+_)(?:=|: ')(\d+)/g)].map(([, name, bytes]) => [
      name,
      bytes,
    ])
  const told = [
    ['MALLOC_TRIM_THRESHOLD_', '2097152'],
    ['MALLOC_MMAP_THRESHOLD_', '1048576'],
  ]
  const starts = ['bin/nano-gateway.cjs', 'bench/kit/gateway.ts', 'docs/operating/deploy.md']
  for (const file of [...starts, 'deploy/Containerfile', 'deploy/systemd/nano-gateway.service']) {
    assert.deepEqual(toldBy(file), told, file)
  }
})

test('an operator sees that the store is down, and still sees all other metrics', async (t) => {
  const database = await createDatabase()
  const { port, pathname } = new URL(database)
  const store = await TcpRelay.start(Number(port))
  t.after(() => store.close())
  const gateway = await openGateway(t, {
    ...sharedKeys(),
    DATABASE_URL: `postgres://postgres@127.0.0.1:${store.port}${pathname}`,
  })
  const metrics = () => readMetrics(gateway)
  assert.match(await metrics(), /^gateway_store_up 1$/m)
  for (const fail of [() => store.cut(), () => store.hang()]) {
    store.open()
    fail()
    const text = await metrics()
    assert.match(text, /^gateway_store_up 0$/m)
    assert.match(text, /^gateway_upstream_healthy\{upstream="devnet"\} 1$/m)
    assert.match(text, /^process_resident_memory_bytes \d+$/m)
  }
  store.open()
})

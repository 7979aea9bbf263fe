/*
 * Measures the gateway against nginx `proxy_pass`, one worker, in front of the same static upstream. Each figure is a
 * sandwich: nginx, the gateway, nginx again; only the ratio to the mean of the two nginx runs counts, because machines
 * like ours move threefold from minute to minute. Two nginx stand beside it: `proxy_pass` as it is without further
 * words, and one that keeps its connections to the upstream open, as the gateway does. Needs nginx and wrk.
 *
 *   npm run bench                    five sandwiches of each case
 *   npm run bench -- --quick         one sandwich, short runs
 *   npm run bench -- --memory        resident memory after a million distinct requests
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import { toAddress } from '../src/kernel/nano/address.ts'

const quick = process.argv.includes('--quick')
const memory = process.argv.includes('--memory')
const rounds = quick ? 1 : 5
const seconds = quick ? 3 : 8
const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
const children: ChildProcess[] = []

const ANSWER = JSON.stringify({
  balance: '325586539664609129644855132177',
  pending: '2309372032769300000000000000000000',
  receivable: '2309372032769300000000000000000000',
})

interface Run {
  rate: number
  p99: number
  errors: number
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

function startNginx(name: string, server: string): void {
  const file = join(folder, `${name}.conf`)
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log;
    events { worker_connections 1024; }
    http { access_log off; client_body_temp_path ${folder}/${name}-body; proxy_temp_path ${folder}/${name}-proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      keepalive_requests 1000000000; ${server} }`,
  )
  children.push(spawn('nginx', ['-c', file, '-p', folder], { stdio: 'ignore' }))
}

/** Bodies for distinct accounts, written once and walked by wrk. */
function writeBodies(count: number): string {
  const file = join(folder, `bodies-${count}.txt`)
  const lines: string[] = []
  for (let at = 1; at <= count; at++) {
    lines.push(
      JSON.stringify({
        action: 'account_balance',
        account: toAddress(at.toString(16).padStart(64, '0').toUpperCase()),
      }),
    )
  }
  writeFileSync(file, lines.join('\n'))
  return file
}

function writeScript(name: string, lua: string): string {
  const file = join(folder, `${name}.lua`)
  writeFileSync(file, `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n${lua}`)
  return file
}

function wrk(port: number, script: string, duration: number): Promise<Run> {
  return new Promise((resolve, reject) => {
    const args = ['-t1', '-c32', `-d${duration}s`, '--latency', '-s', script, `http://127.0.0.1:${port}/`]
    const child = spawn('wrk', args)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('close', () => {
      const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
      const [, value = 'NaN', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? []
      const p99 = Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
      const errors = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0)
      if (Number.isNaN(rate)) reject(new Error(`wrk: ${output}`))
      else resolve({ rate, p99, errors })
    })
  })
}

async function waitFor(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"action":"block_count"}' })
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error(`Nothing answers on port ${port}.`)
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function startGateway(upstream: number, websocket: number, env: Record<string, string> = {}) {
  const port = await freePort()
  const log = openSync(join(folder, `gateway-${port}.log`), 'w')
  const child = spawn(process.execPath, ['--max-semi-space-size=4', 'dist/cli.js', 'start'], {
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      PORT: String(port),
      // One address sends everything here; a limit that is checked and never reached costs the same.
      LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
      LIMIT_ANONYMOUS_CONCURRENCY: '0',
      DATA_DIR: join(folder, `data-${port}`),
      NODE_URLS: `http://127.0.0.1:${upstream}/`,
      NODE_WS_URLS: `ws://127.0.0.1:${websocket}`,
      ...env,
    },
  })
  closeSync(log)
  children.push(child)
  await waitFor(port)
  return { port, child }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

try {
  for (const tool of ['nginx', 'wrk']) {
    if (!['/usr/sbin', '/usr/bin', '/usr/local/bin'].some((path) => existsSync(join(path, tool)))) {
      throw new Error(`${tool} is missing; install it with: apt-get install nginx-light wrk`)
    }
  }
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  const [upstream, proxy, keeping, websocket] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  startNginx(
    'upstream',
    `server { listen 127.0.0.1:${upstream}; location / { default_type application/json; return 200 '${ANSWER}'; } }`,
  )
  startNginx('proxy', `server { listen 127.0.0.1:${proxy}; location / { proxy_pass http://127.0.0.1:${upstream}; } }`)
  startNginx(
    'keeping',
    `upstream node { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 1000000000; }
    server { listen 127.0.0.1:${keeping}; location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  )
  // A confirmation socket that says nothing, so that answers may be remembered.
  const sockets = new WebSocketServer({ port: websocket, host: '127.0.0.1' })
  sockets.on('connection', (socket) => {
    socket.on('message', () => socket.send(JSON.stringify({ ack: 'subscribe', time: '0' })))
  })
  await Promise.all([waitFor(upstream), waitFor(proxy), waitFor(keeping)])

  const fixed = writeScript(
    'fixed',
    `wrk.body = '{"action":"account_balance","account":"nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo"}'`,
  )
  const walk = (count: number) =>
    writeScript(
      `distinct-${count}`,
      `local requests = {}
      local at = 0
      init = function() for line in io.lines("${writeBodies(count)}") do requests[#requests + 1] = wrk.format(nil, nil, nil, line) end end
      request = function() at = at % #requests + 1 return requests[at] end`,
    )

  if (memory) {
    const { port, child } = await startGateway(upstream, websocket)
    const script = walk(1_000_000)
    let sent = 0
    while (sent < 1_000_000) {
      const { rate } = await wrk(port, script, 60)
      sent += rate * 60
      console.log(`${Math.round(sent)} requests, ${residentMegabytes(child.pid!).toFixed(0)} MB resident`)
    }
  } else {
    const cases = [
      { name: 'cache hit', script: fixed, env: {}, floor: 0.35 },
      { name: 'hot key, coalesced', script: fixed, env: { CACHE_BYTES_MAX: '0' }, floor: 0.3 },
      { name: '100,000 distinct keys', script: walk(100_000), env: {}, floor: 0.12 },
    ]
    console.log(
      '| case | gateway req/s | nginx req/s | **ratio** (range) | floor | nginx keeping connections | ratio | p99 gateway / nginx | errors | RSS |',
    )
    console.log('|---|---|---|---|---|---|---|---|---|---|')
    for (const { name, script, env, floor } of cases) {
      const { port, child } = await startGateway(upstream, websocket, env)
      await wrk(port, script, 2)
      const runs: { own: Run; nginx: Run; keeper: Run }[] = []
      for (let round = 0; round < rounds; round++) {
        const before = await wrk(proxy, script, 3)
        const own = await wrk(port, script, seconds)
        const behind = await wrk(proxy, script, 3)
        const keeper = await wrk(keeping, script, 3)
        const nginx = { rate: (before.rate + behind.rate) / 2, p99: (before.p99 + behind.p99) / 2, errors: 0 }
        runs.push({ own, nginx, keeper })
      }
      const ratios = runs.map(({ own, nginx }) => own.rate / nginx.rate)
      const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
      const cells = [
        name,
        median(runs.map(({ own }) => own.rate)).toFixed(0),
        median(runs.map(({ nginx }) => nginx.rate)).toFixed(0),
        `**${median(ratios).toFixed(2)}** (${range})`,
        floor,
        median(runs.map(({ keeper }) => keeper.rate)).toFixed(0),
        median(runs.map(({ own, keeper }) => own.rate / keeper.rate)).toFixed(2),
        `${median(runs.map(({ own }) => own.p99)).toFixed(1)} / ${median(runs.map(({ nginx }) => nginx.p99)).toFixed(1)} ms`,
        runs.reduce((sum, { own }) => sum + own.errors, 0),
        `${residentMegabytes(child.pid!).toFixed(0)} MB`,
      ]
      console.log(`| ${cells.join(' | ')} |`)
      child.kill('SIGTERM')
    }
  }
  sockets.close()
} finally {
  for (const child of children) child.kill('SIGTERM')
  for (const child of children) if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

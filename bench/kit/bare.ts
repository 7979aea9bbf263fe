/*
 * Baselines that run in their own process: the smallest programs that do comparable work. None of them waits for a disk, so that
 * ratios to them do not depend on how busy the machine is. `node bench/kit/bare.ts KIND PORT FOLDER [UPSTREAM]`:
 *
 *   answer  answers every request with the same bytes
 *   busy    the same, after about as much JSON work as a gateway does for a cached answer
 *   proxy   forwards each request with undici and passes the answer back
 *   rows    stores five rows in SQLite in one transaction, without waiting for the sync
 *   rows-postgres   the same in PostgreSQL
 *   check   verifies a signature and stores one row
 *   checker verifies a signature with our library, and closes the connection after its answer as a node does
 *   send    makes three requests to the node, each over a new connection, then two signatures, and stores five rows
 *   hear    receives the frames of a node's websocket and parses them
 */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { type IncomingMessage, createServer } from 'node:http'
import { join } from 'node:path'

const [kind = '', port, folder = '', upstream = ''] = process.argv.slice(2)
const ANSWER = Buffer.from(
  '{"balance":"325586539664609129644855132177","pending":"2309372032769300000000000000000000","receivable":"2309372032769300000000000000000000"}',
)
const ROWS = 5
const TEXT = 'x'.repeat(200)
const HASH = Buffer.alloc(32, 7)
const CONNECTIONS = 32
const JSON_HEADERS = { 'content-type': 'application/json' }

type Work = (body: Buffer) => Buffer | Promise<Buffer>

/** Each kind imports only what it needs, because the start of the smallest one is a baseline as well. */
const KINDS: Record<string, () => Promise<Work>> = {
  answer: () => Promise.resolve(() => ANSWER),
  busy: () =>
    Promise.resolve(() => {
      const rows = Array.from({ length: ROWS }, (_, at) => ({ at, text: TEXT, list: [at, at + 1, at + 2], of: { at } }))
      for (let time = 0; time < ROWS; time++) JSON.parse(JSON.stringify(rows))
      return ANSWER
    }),
  proxy: async () => {
    const { Pool } = await import('undici')
    const pool = new Pool(upstream, { connections: CONNECTIONS })
    return async (body) => {
      const answer = await pool.request({ method: 'POST', path: '/', body, headers: JSON_HEADERS })
      return Buffer.from(await answer.body.arrayBuffer())
    }
  },
  rows: async () => {
    const keep = await openRows(ROWS)
    return (body) => {
      keep(body)
      return ANSWER
    }
  },
  'rows-postgres': async () => {
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: upstream, max: 16, options: '-c synchronous_commit=off' })
    const places = Array.from({ length: ROWS }, (_, at) => `($${at + 1})`).join(', ')
    const insert = { name: 'keep', text: `insert into bare (text) values ${places}`, values: Array(ROWS).fill(TEXT) }
    const ready = pool.query('create table if not exists bare (id bigserial primary key, text text)')
    return async (body) => {
      JSON.parse(body.toString())
      await ready
      await pool.query(insert)
      return ANSWER
    }
  },
  check: async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const signed = sign(null, HASH, privateKey)
    const keep = await openRows(1)
    return (body) => {
      if (!verify(null, HASH, publicKey, signed)) throw new Error('OpenSSL refuses what it signed.')
      keep(body)
      return ANSWER
    }
  },
  checker: async () => {
    const { useFastestCurve } = await import('../../src/infra/sodium-curve.ts')
    const { publicKeyOf, signHash, verifyHash } = await import('../../src/kernel/nano/keys.ts')
    useFastestCurve()
    const [key, hash] = ['1'.repeat(64), 'A'.repeat(64)]
    const [account, signature] = [publicKeyOf(key), signHash(key, hash)]
    return () => {
      verifyHash(account, hash, signature)
      return ANSWER
    }
  },
  send: async () => {
    const { Pool } = await import('undici')
    const { privateKey } = generateKeyPairSync('ed25519')
    const pool = new Pool(upstream, { connections: CONNECTIONS })
    const keep = await openRows(ROWS)
    return async (body) => {
      for (let time = 0; time < 3; time++) {
        const asked = { method: 'POST', path: '/', body: '{"action":"block_count"}', headers: JSON_HEADERS } as const
        const answer = await pool.request({ ...asked, reset: true })
        JSON.parse(await answer.body.text())
      }
      for (let time = 0; time < 2; time++) sign(null, HASH, privateKey)
      keep(body)
      return ANSWER
    }
  },
  hear: async () => {
    const { WebSocket } = await import('ws')
    const socket = new WebSocket(upstream)
    socket.on('open', () => socket.send(JSON.stringify({ action: 'subscribe', topic: 'confirmation' })))
    socket.on('message', (data: Buffer) => void JSON.parse(data.toString()))
    return () => ANSWER
  },
}

async function openRows(rows: number): Promise<(body: Buffer) => void> {
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(join(folder, `bare-${port}.db`))
  db.exec('pragma journal_mode = wal; pragma synchronous = off; create table bare (id integer primary key, text text)')
  const insert = db.prepare('insert into bare (text) values (?)')
  return (body) => {
    JSON.parse(body.toString())
    db.exec('begin immediate')
    for (let row = 0; row < rows; row++) insert.run(TEXT)
    db.exec('commit')
  }
}

function collect(request: IncomingMessage, then: (body: Buffer) => void): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => then(Buffer.concat(parts)))
}

const work = await KINDS[kind]!()

createServer((request, response) => {
  if (kind === 'checker') response.shouldKeepAlive = false
  const answer = (bytes: Buffer) =>
    response.writeHead(200, { ...JSON_HEADERS, 'content-length': bytes.length }).end(bytes)
  collect(request, (body) => {
    const made = work(body)
    if (made instanceof Promise) void made.then(answer)
    else answer(made)
  })
}).listen(Number(port), '127.0.0.1')

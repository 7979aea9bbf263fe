import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { type Socket, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, storeUrl } from '../../config/config.ts'
import type { Listening } from './notices.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Notices } from '../../kernel/ports.ts'

/** Linux limits the address of a socket to 107 bytes, macOS to 103. */
const ADDRESS_BYTES_MAX = 100
const OWNER_ONLY = 0o600
/** Larger than any notice; no program of ours writes a longer line. */
const LINE_BYTES_MAX = 4 * 1024 * 1024
const PIPES = '\\\\.\\pipe\\'

type Notice = [topic: string, payload: string]
type Place = Pick<Config, 'dataDir' | 'databaseUrl'>

/**
 * The place where gateways on an embedded store listen for commands: a socket for each gateway in the data folder,
 * named after the store. On Windows it is a pipe, which is in no folder.
 */
function placeOf(config: Place): { folder: string; prefix: string } {
  const folder = resolve(config.dataDir)
  const file = resolve(storeUrl(config).slice('sqlite:'.length))
  const prefix = `gateway-${createHash('sha256').update(file).digest('hex').slice(0, 8)}-`
  return process.platform === 'win32' ? { folder: PIPES, prefix: `nano-${prefix}` } : { folder, prefix }
}

/** Uses a socket through a short address: in a folder with a long name, through a temporary link. */
function atShortAddress<T>(folder: string, name: string, use: (address: string) => T): T {
  const address = folder === PIPES ? `${folder}${name}` : join(folder, name)
  if (folder === PIPES || Buffer.byteLength(address) <= ADDRESS_BYTES_MAX) return use(address)
  const aside = mkdtempSync(join(tmpdir(), 'nano-gateway-'))
  try {
    symlinkSync(folder, join(aside, 'data'))
    return use(join(aside, 'data', name))
  } finally {
    rmSync(aside, { recursive: true })
  }
}

const namesIn = (folder: string, prefix: string) => readdirSync(folder).filter((name) => name.startsWith(prefix))
const sendLine = (socket: Socket, line: object) => socket.write(`${JSON.stringify(line)}\n`)

/** Reads JSON, line by line. An invalid line, or one that is too long, ends the connection. */
function readLines(socket: Socket, take: (line: unknown) => void): void {
  socket.setEncoding('utf8')
  let rest = ''
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    try {
      if (rest.length > LINE_BYTES_MAX) throw new Error('A line without end.')
      for (const line of lines) if (!socket.destroyed) take(JSON.parse(line))
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
}

/** Takes notices from commands on this machine, and confirms each after delivering it. */
export async function listenForCommands(
  config: Place,
  { notices, failures, own }: { notices: Pick<Notices, 'deliver'>; failures: Failures; own: Listening },
): Promise<() => void> {
  const { folder, prefix } = placeOf(config)
  // Remove sockets that killed gateways left behind.
  for (const name of namesIn(folder, prefix))
    (await reach(folder, name).catch(failures.lost('commands.link')))?.destroy()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', failures.lost('commands.link'))
    readLines(socket, (line) => {
      const [topic, payload] = line as Notice
      void notices.deliver(topic, payload).then(() => sendLine(socket, own))
    })
  })
  const listening = once(server, 'listening')
  const name = `${prefix}${randomUUID().slice(0, 8)}`
  atShortAddress(folder, name, (address) => {
    server.listen(address)
    // The socket exists now, in a folder that only its owner can enter.
    if (server.listening && folder !== PIPES) chmodSync(address, OWNER_ONLY)
  })
  await listening
  return () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    if (folder !== PIPES) rmSync(join(folder, name), { force: true })
  }
}

/**
 * Sends a notice to every gateway on an embedded store. Resolves with the gateways that have received it, and whether
 * those are all.
 */
export async function notifyGateways(
  config: Place,
  notice: Notice,
  milliseconds: number,
): Promise<{ confirmed: Listening[]; all: boolean }> {
  const { folder, prefix } = placeOf(config)
  const answers = await Promise.all(
    namesIn(folder, prefix).map((name) => notify({ folder, name }, notice, milliseconds)),
  )
  return { confirmed: answers.filter((one) => typeof one === 'object'), all: !answers.includes('silent') }
}

/** If the gateway is gone, nothing is cached there. If it does not answer in time, it may still use cached values. */
async function notify(
  { folder, name }: { folder: string; name: string },
  notice: Notice,
  milliseconds: number,
): Promise<Listening | 'gone' | 'silent'> {
  const socket = await reach(folder, name)
  if (!socket) return 'gone'
  const { promise, resolve: answer } = Promise.withResolvers<Listening | 'gone' | 'silent'>()
  const late = setTimeout(() => answer('silent'), milliseconds)
  readLines(socket, (line) => answer(line as Listening))
  socket.on('error', () => answer('silent'))
  socket.on('close', () => answer('gone'))
  sendLine(socket, notice)
  const said = await promise
  clearTimeout(late)
  socket.destroy()
  return said
}

/** Connects to the gateway at a socket. If the gateway is gone, removes the socket and returns undefined. */
async function reach(folder: string, name: string): Promise<Socket | undefined> {
  const socket = atShortAddress(folder, name, (address) => connect(address))
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ECONNREFUSED' && code !== 'ENOENT') throw error
    if (folder !== PIPES) rmSync(join(folder, name), { force: true })
    return undefined
  }
}

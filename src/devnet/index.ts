import { lockFile } from './file-lock.ts'
import { LedgerNode } from './node.ts'
import type { NodeOptions } from './node-options.ts'
import { type AnsweredCall, serveRpc } from './server.ts'
import { openVoters } from './accounts.ts'
import { serveWebsocket } from './websocket.ts'

export interface DevnetOptions extends NodeOptions {
  host?: string
  /** Port of the RPC; with 0 the system chooses a free one. */
  port?: number
  /** Port of the websocket; with 0 the system chooses a free one. */
  wsPort?: number
  /** Whether the RPC serves actions that change the node, make work or sign. */
  control?: boolean
  /** Called after every call of the RPC. */
  onCall?: (call: AnsweredCall) => void
}

export interface Devnet {
  node: LedgerNode
  rpcUrl: string
  wsUrl: string
  /** May be called more than once; every caller waits until the ledger is closed. */
  close(): Promise<void>
}

export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { host = '127.0.0.1', port = 0, wsPort = 0, control = true, onCall } = options
  const lock = lockFile(options.file)
  const node = openNode(options, lock)
  try {
    await node.open()
    await openVoters(node)
    const rpc = await serveRpc(node, { host, port, control, onCall })
    try {
      const websocket = await serveWebsocket(node, { host, port: wsPort })
      let closing: Promise<void> | undefined
      const close = async () => {
        await Promise.all([rpc.close(), websocket.close()])
        await node.close()
        lock.release()
      }
      return {
        node,
        rpcUrl: `http://${host}:${rpc.port}`,
        wsUrl: `ws://${host}:${websocket.port}`,
        close: () => (closing ??= close()),
      }
    } catch (error) {
      await rpc.close()
      throw error
    }
  } catch (error) {
    await node.close()
    lock.release()
    throw error
  }
}

function openNode(options: NodeOptions, lock: { release(): void }): LedgerNode {
  try {
    return new LedgerNode(options)
  } catch (error) {
    lock.release()
    throw error
  }
}

export { type LedgerNode } from './node.ts'
export { type NodeEvent } from './node-options.ts'
export { type AnsweredCall } from './server.ts'

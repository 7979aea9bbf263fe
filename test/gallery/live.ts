import type { TestContext } from 'node:test'
import { isThorough } from '../support/thorough.ts'
import { PeerServer, answer, hang } from '../support/work-peer.ts'
import type { Door } from './clients.ts'
import { type World, openWorld } from './world.ts'

/*
 * Live work for a send takes a minute of a processor. It was found once, for the blocks that walks build on: their accounts
 * and amounts are the same in every run, and so are the hashes.
 */
const FOUND: Record<string, string> = {}

/**
 * A gateway on a ledger that asks for live work, before a work server that knows what was found. The gateway checks it, the client
 * checks it, the ledger checks it; for a receive the gateway searches by itself. With `searches` the thorough run finds
 * everything by itself.
 */
export async function openLiveWorld(t: TestContext, door: Door, { searches = false } = {}): Promise<World> {
  const server = await PeerServer.start(t)
  server.generate = (asked) => {
    const work = isThorough && searches ? undefined : FOUND[asked.body.hash!.toUpperCase()]
    if (work === undefined) hang(asked)
    else answer({ work })(asked)
  }
  return openWorld(t, door, {
    DEVNET_WORK: 'live',
    WORK_THREADS: '1',
    WORK_NODES: 'false',
    WORK_URLS: server.url,
    // Beside a walk nobody waits for: a minute of a processor for each block.
    WORK_PRECOMPUTE: 'false',
  })
}

import type { TestContext } from 'node:test'
import { WORK_THRESHOLDS, formatWork } from '../../src/kernel/nano/work.ts'
import { PeerServer, answer, hang } from '../support/work-peer.ts'
import type { Endpoint } from './clients.ts'
import { type World, openWorld } from './steps.ts'

/*
 * Live work for a send takes a minute of a processor. It was found once, for the blocks that walks build on: their accounts
 * and amounts are the same in every run, and so are the hashes.
 */
const SEND = formatWork(WORK_THRESHOLDS.live.send)
const FOUND: Record<string, string> = {
  // nano-wallet-js: send
  C1DBEB6431D59F57F3DA8D12C81C64DD5819AAE8E2FA93D687AE698A8BF95395: 'c1dbeb645dab1b04',
  // nano-wallet-js: change
  E33565B4E05CB89EA0BFE17F2D3B7533CD434D65936665B637263F23761212AC: 'e33565b4e728f5bb',
  // @nanobox/nano-client: send
  '918BF234E5309DEC39B8BBD887FEE017DB15D78C4D23109A48D0C208D36D13B5': '918bf234fb8d5d0c',
  // @nanobox/nano-client: change
  E2118E9B9F99647918AC83C4071EF00BD49BA6359F713FA1E68A5A120CE638C4: 'e2118e9ba40b2c19',
  // libnemo: receive. It gives up after ten seconds, which a search may take on a busy machine.
  '93605981C344CB2B71EFA7C67D662B25318018AF9E274B32D8D8687A74AF43C6': '93605981c4ed228f',
  // libnemo: send
  '33C658E9CDEC10A3735E5ABF2E4557C928137222B2561BA7E89EA027937E8B5A': '33c658e9ed3bd5e5',
  // libnemo: change
  '6318C535C23B8F4DB980C000948B9F401D5C3BCB8224D896FFAC63329DE0DEA3': '6318c535c6f731c2',
}

/**
 * A gateway on a ledger that asks for live work, before a work server that knows what was found. The gateway checks it, the client
 * checks it, the ledger checks it; for a receive the gateway searches by itself. A search for a send takes a
 * minute of a processor in the mean and any multiple of it now and then, which no test waits for.
 */
export async function openLiveWorld(t: TestContext, access: Endpoint): Promise<World> {
  const searched: string[] = []
  t.after(() => {
    // Before the gateway is closed: what was to be done after a test is done in the order in which it was said.
    const { store } = world.app.devnet!.node.ledger
    for (const root of searched.filter((each) => !(each in FOUND))) {
      const work = store.findBlock(store.findBlock(root)?.successor ?? '')?.block.work
      t.diagnostic(`A walk has changed. Its work was searched; put it into test/gallery/live.ts: '${root}': '${work}'`)
    }
  })
  const server = await PeerServer.start(t)
  const world = await openWorld(t, access, {
    DEVNET_WORK: 'live',
    WORK_THREADS: '1',
    WORK_NODES: 'false',
    WORK_URLS: server.url,
    // Beside a walk nobody waits for: a minute of a processor for each block.
    WORK_PRECOMPUTE: 'false',
  })
  server.generate = (asked) => {
    const root = asked.body.hash!.toUpperCase()
    const work = FOUND[root]
    if (work !== undefined) return answer({ work })(asked)
    if (asked.body.difficulty === SEND) searched.push(root)
    hang(asked)
  }
  return world
}

import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, UNOPENED, frontierAfter, nano } from '../../test/support/blocks.ts'
import { writeRequests } from '../kit/load.ts'
import { startLedger } from './ledger-process.ts'
import { type Row, each, inTurns } from './row.ts'
import { type World, askBare, startBare } from './world.ts'

const SIGNERS = 64
/** Fewer than signers, so that no block overtakes its predecessor in the chain. */
const CONNECTIONS = 32

/** Signed blocks with work that the development ledger checks, stores and confirms. */
export async function costBlocks(world: World): Promise<Row[]> {
  const { bench, asker, turns, isDear } = world
  const ledger = await startLedger(bench)
  const eachTurn = Math.ceil(5 * world.scale)
  const signers = Array.from({ length: SIGNERS }, (_, at) => new Signer(at, WORK_THRESHOLDS.dev))
  const chains: StateBlock[][] = []
  for (const signer of signers) {
    const funded = await ledger.fund(signer.address, '10')
    const blocks = [signer.receive(UNOPENED, funded, nano(10))]
    while (blocks.length < eachTurn * (turns + 1)) {
      const send = signer.send(frontierAfter(blocks.at(-1)!), signer.key, nano(1))
      blocks.push(send, signer.receive(frontierAfter(send), hashBlock(send), nano(1)))
    }
    chains.push(blocks)
  }
  const rounds = Array.from({ length: eachTurn * (turns + 1) }, (_, at) => chains.map((blocks) => blocks[at]!))
  const list = writeRequests(
    bench.folder,
    'blocks',
    rounds.flat().map((block) => ({ body: { action: 'process', json_block: true, block: toBlockJson(block) } })),
  )
  const count = SIGNERS * eachTurn
  let from = 0
  const process = async () => {
    const before = { gateway: ledger.spent(), database: 0 }
    const { bodies } = await asker.ask({ port: ledger.port, list, count, from, connections: CONNECTIONS, keep: true })
    from += count
    const refused = bodies.find((body) => !body.includes('"hash"'))
    if (refused !== undefined) throw new Error(`A block was refused: ${refused}`)
    return each(before, { gateway: ledger.spent(), database: 0 }, count)
  }
  const bare = await startBare(bench, 'check')
  const check = () => askBare(world, bare, world.lists.one, count, { connections: CONNECTIONS })
  // Warm-up, so that the code is compiled.
  for (let time = 0; time < 5; time++) await check()
  await process()
  const { cost, yardstick } = await inTurns({ turns, isDear }, 'block', process, check)
  await bare.end()
  await ledger.end()
  return [
    {
      key: 'block',
      group: 'blocks',
      operation: 'development ledger, one block',
      store: 'SQLite',
      cost,
      unit: 'ms',
      yardstick: { name: '`node:http` that checks a signature and keeps a row, not synced', ...yardstick },
      goal: { times: 1.6 },
    },
  ]
}

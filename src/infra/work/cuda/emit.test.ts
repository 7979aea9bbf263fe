import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPtx } from '../../../../test/support/ptx.ts'
import { repeat } from '../../../../test/support/random.ts'
import { formatWork, workValue } from '../../../kernel/nano/work.ts'
import { hashSteps } from '../blake2b-steps.ts'
import { long, word } from '../card/library.ts'
import { rootWords } from '../searcher.ts'
import { CUDA_SHAPES, type CudaShape, RESULT_BYTES, cudaConstants, emitPtx } from './emit.ts'

const hash = hashSteps()
const ADDRESS = 0x7f00_0000_0000n
const STRIDE = 1_000n

interface Launched {
  root: string
  start: bigint
  rounds: number
  threshold: bigint
  stopped?: boolean
}

/** Runs the kernel as if it were the fifth thread of the third block. */
function launch(shape: CudaShape, { root, start, rounds, threshold, stopped = false }: Launched) {
  const memory = Buffer.alloc(RESULT_BYTES)
  memory.writeUInt32LE(stopped ? 1 : 0)
  const thread = 2n * BigInt(shape.threads) + 4n
  const executed = runPtx(emitPtx(hash, shape), {
    parameters: {
      constants: cudaConstants(hash, rootWords(root)),
      start: long(BigInt.asUintN(64, start - thread)),
      stride: long(STRIDE),
      rounds: word(rounds),
      threshold: long(threshold),
      result: long(ADDRESS),
    },
    memory,
    address: ADDRESS,
    special: { '%tid.x': 4n, '%ctaid.x': 2n, '%ntid.x': BigInt(shape.threads) },
  })
  return {
    stop: memory.readUInt32LE(0),
    finds: memory.readUInt32LE(4),
    nonce: memory.readBigUInt64LE(8),
    executed: (instruction: string) => executed.get(instruction) ?? 0,
  }
}

const KNOWN = { root: '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2', nonce: 0x2bf29ef00786a6bcn }

for (const shape of CUDA_SHAPES) {
  test(`${shape.name}: a card finds the known work at its exact value, not one above it, and ends the other threads`, () => {
    const search = { root: KNOWN.root, start: KNOWN.nonce, rounds: 1 }
    const found = launch(shape, { ...search, threshold: 0xffffffd21c3933f4n })
    assert.deepEqual([found.finds, found.nonce, found.stop], [1, KNOWN.nonce, 1])
    const missed = launch(shape, { ...search, threshold: 0xffffffd21c3933f5n })
    assert.deepEqual([missed.finds, missed.stop], [0, 0])
  })
}

for (const shape of CUDA_SHAPES.filter(({ threads }) => threads === 1024)) {
  test(`${shape.rotations}: a card tries the nonces of its stride, for random roots`, () =>
    repeat(4, (random) => {
      const root = random.hex(64)
      const start = random.bigint(64)
      const nonces = [0n, 1n, 2n].map((round) => BigInt.asUintN(64, start + round * STRIDE))
      const values = nonces.map((nonce) => workValue(root, formatWork(nonce)))
      for (const threshold of [...values, values[0]! + 1n]) {
        const first = nonces[values.findIndex((value) => value >= threshold)]
        const found = launch(shape, { root, start, rounds: 3, threshold })
        assert.equal(found.finds > 0 ? found.nonce : undefined, first)
      }
    }))

  test(`${shape.rotations}: a card that is asked to stop tries nothing more`, () => {
    const stopped = launch(shape, { root: KNOWN.root, start: 0n, rounds: 1_000, threshold: 0n, stopped: true })
    assert.deepEqual([stopped.finds, stopped.executed('xor.b64')], [0, 0])
  })
}

test('a hash on a card costs what was counted: additions and exclusive ors alike, rotations where the shape puts them', () => {
  const oneHash = (rotations: CudaShape['rotations']) =>
    launch(
      CUDA_SHAPES.find((shape) => shape.rotations === rotations)!,
      { ...KNOWN, start: 0n, rounds: 1, threshold: 2n ** 64n - 1n },
    )
  const [plain, dot, dot63] = [oneHash('plain'), oneHash('dot'), oneHash('dot63')]
  for (const one of [plain, dot, dot63]) assert.equal(one.executed('xor.b64'), 358 + 2)
  assert.equal(plain.executed('dp4a.u32.u32'), 0)
  assert.equal(dot.executed('prmt.b32'), 0)
  assert.ok(dot63.executed('shf.l.wrap.b32') < dot.executed('shf.l.wrap.b32'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { formatWork, workValue } from '../../kernel/nano/work.ts'
import { hashSteps } from './blake2b-steps.ts'
import { emitModule } from './emit.ts'
import { openSearcher, rootWords } from './searcher.ts'
import { SHAPES, type Shape, lanesOf } from './shapes.ts'
import { webAssembly } from './web-assembly.ts'

const hash = hashSteps()
const open = (shape: Shape) => openSearcher(new webAssembly!.Module(emitModule(hash, shape)), hash)

for (const shape of SHAPES) {
  const lanes = lanesOf(shape)

  test(`${shape.name}: finds the known work at its exact value and not one above it`, () => {
    const root = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
    const nonce = 0x2bf29ef00786a6bcn
    const searcher = open(shape)
    searcher.setRoot(rootWords(root))
    for (let lane = 0; lane < lanes; lane++) {
      const start = nonce - BigInt(lane)
      assert.equal(searcher.search(start, lanes, 0xffffffd21c3933f4n), nonce)
      assert.equal(searcher.search(start, lanes, 0xffffffd21c3933f5n), undefined)
    }
  })

  // Every lane of every iteration is compared with a hash that shares no code with the module.
  test(`${shape.name}: finds the first nonce that reaches a threshold, for random roots`, () => {
    const searcher = open(shape)
    return repeat(25, (random) => {
      const root = random.hex(64)
      const count = 4 * lanes
      // Some ranges go beyond the largest nonce and start again at zero.
      const start = random.below(5) === 0 ? 2n ** 64n - BigInt(random.below(count)) : random.bigint(64)
      const nonces = Array.from({ length: count }, (_, index) => BigInt.asUintN(64, start + BigInt(index)))
      const values = nonces.map((nonce) => workValue(root, formatWork(nonce)))
      searcher.setRoot(rootWords(root))
      for (const threshold of values.flatMap((value) => [value, value + 1n])) {
        assert.equal(searcher.search(start, count, threshold), nonces[values.findIndex((value) => value >= threshold)])
      }
    })
  })

  test(`${shape.name}: a threshold of zero is met by the first nonce, the largest one by none`, () => {
    const searcher = open(shape)
    searcher.setRoot([1n, 2n, 3n, 4n])
    assert.equal(searcher.search(77n, lanes, 0n), 77n)
    assert.equal(searcher.search(77n, 1000 * lanes, 2n ** 64n - 1n), undefined)
  })
}

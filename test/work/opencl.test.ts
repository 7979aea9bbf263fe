import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANES, listOpenCl, openOpenCl } from '../../src/infra/work/opencl/driver.ts'
import { rootWords } from '../../src/infra/work/searcher.ts'
import { formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { repeat } from '../support/random.ts'

const KNOWN = { root: '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2', nonce: 0x2bf29ef00786a6bcn }
const VALUE = 0xffffffd21c3933f4n

const processor = listOpenCl().find(({ kind }) => kind === 'cpu')!
const kernels = openOpenCl(processor.index).kernels()

test('the driver of the processor compiles every form of the search', () => {
  assert.equal(kernels.length, LANES.length)
})

for (const kernel of kernels) {
  test(`${kernel.shape}: finds the known work at its exact value and not one above it, wherever in a round it lies`, async () => {
    const root = rootWords(KNOWN.root)
    for (const offset of [0, 1, 63, 64, kernel.width - 1]) {
      const start = KNOWN.nonce - BigInt(offset)
      assert.equal(await kernel.run(0, { root, start, rounds: 1, threshold: VALUE }), KNOWN.nonce)
      assert.equal(await kernel.run(1, { root, start, rounds: 1, threshold: VALUE + 1n }), undefined)
    }
  })

  test(`${kernel.shape}: what it finds for random roots reaches the threshold and was among what it had to try`, () =>
    repeat(10, async (random) => {
      const root = random.hex(64)
      // Sometimes the range wraps around at the largest nonce.
      const start = random.below(3) === 0 ? 2n ** 64n - BigInt(random.below(1_000)) : random.bigint(64)
      const rounds = 1 + random.below(8)
      const threshold = 2n ** 64n - 2n ** 64n / BigInt(kernel.width)
      const nonce = await kernel.run(random.below(2), { root: rootWords(root), start, rounds, threshold })
      if (nonce === undefined) return
      assert.ok(workValue(root, formatWork(nonce)) >= threshold)
      assert.ok(BigInt.asUintN(64, nonce - start) < BigInt(kernel.width * rounds))
    }))
}

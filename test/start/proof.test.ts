import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CLI } from '../support/command-line.ts'
import { openFolder } from '../support/folder.ts'
import { recordedProof } from '../support/recorded-votes.ts'

function verify(t: TestContext, text: string, own?: object) {
  const folder = openFolder(t)
  const [file, weights] = [join(folder, 'proof.json'), join(folder, 'weights.json')]
  writeFileSync(file, text)
  writeFileSync(weights, JSON.stringify(own ?? null))
  const args = [CLI, 'proof', 'verify', file, ...(own ? ['--weights', weights] : [])]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('proof verify prints what a file proves, and exits with 1 if it proves nothing', (t) => {
  const proof = recordedProof()
  const proved = verify(t, JSON.stringify(proof))
  assert.equal(proved.status, 0)
  assert.match(
    proved.stdout,
    /^This payment is proved by 1 representative with 99\.99 % of the weight\.\n0\.001 nano from /,
  )
  assert.match(proved.stdout, /reported by node\.example at /)
  const changed = verify(t, JSON.stringify({ ...proof, amount_raw: '1' }))
  assert.deepEqual([changed.status, changed.stdout.slice(0, 21)], [1, 'Not proved: checksum '])
  const garbage = verify(t, 'proof')
  assert.equal(garbage.status, 1)
  assert.match(garbage.stderr, /proof\.json is not JSON/)
})

test('proof verify uses the weights that its user trusts', (t) => {
  const proof = recordedProof()
  const [representative] = Object.keys(proof.weights)
  const own = (weight: string) => ({
    quorum_raw: '67',
    online_raw: '100',
    weights: { [representative!]: weight },
  })
  const proved = verify(t, JSON.stringify(proof), own('68'))
  assert.equal(proved.status, 0)
  assert.match(proved.stdout, /with 68 % of the weight[^]*Weights: from .*weights\.json/)
  const light = verify(t, JSON.stringify(proof), own('67'))
  assert.equal(light.status, 1)
  assert.match(light.stdout, /Not proved: votes have a weight of 67 raw, and more than 67 are needed/)
})

test('proof verify reads standard input', () => {
  const input = JSON.stringify(recordedProof())
  const { status, stdout } = spawnSync(process.execPath, [CLI, 'proof', 'verify', '-', '--json'], {
    input,
    encoding: 'utf8',
  })
  assert.equal(status, 0)
  assert.equal((JSON.parse(stdout) as { ok: boolean }).ok, true)
})

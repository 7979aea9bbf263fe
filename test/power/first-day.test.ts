import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openFolder } from '../support/folder.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { TYPESCRIPT } from '../support/typescript.ts'
import { Disk } from './disk.ts'
import { readOperations } from './log.ts'
import { compileRecorder, recordedBy, skip } from './recorder.ts'

const MAKE_KEY = fileURLToPath(new URL('make-key.ts', import.meta.url))

// A store can never be opened again if its folder's name was not synced, or if the name of the key file that encrypts it was not.
test(
  'a power cut during the first start does not take away the data folder or the key of its secrets',
  { skip },
  (t) => {
    const folder = openFolder(t)
    const [disk, after] = [join(folder, 'disk'), join(folder, 'after')]
    mkdirSync(disk)
    const recorder = compileRecorder(folder)
    const data = join('deep', 'data')
    const env = { ...process.env, ...recordedBy(recorder, disk) }
    execFileSync(process.execPath, [...TYPESCRIPT, MAKE_KEY, join(disk, data)], { env })
    const model = new Disk(statSync(disk, { bigint: true }).ino)
    for (const operation of readOperations(recorder.log)) model.apply(operation)
    model.cut(after, 'nothing', new SeededRandom(SEED))
    const key = join(data, 'secret.key')
    assert.ok(existsSync(join(after, key)))
    assert.deepEqual(readFileSync(join(after, key)), readFileSync(join(disk, key)))
  },
)

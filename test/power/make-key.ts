/* What a first start does before it opens its store: makes the folder given as an argument, and the encryption key in it. */
import { keepFolderPrivate } from '../../src/infra/private-files.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { readSecretKeys } from '../../src/infra/secrets/secret-key.ts'

const [folder] = process.argv.slice(2)
keepFolderPrivate(folder!)
readSecretKeys(folder!, systemRandom)

/* Replaces the address of the repository in every file that has it: `npm run repository -- https://github.com/you/nano-gateway`. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const read = (file) => readFileSync(join(root, file), 'utf8')
const addressIn = (manifest) => JSON.parse(manifest).repository.url.replace(/^git\+|\.git$/g, '')

const [address = ''] = process.argv.slice(2)
if (!/^https:\/\/[\w.-]+\/[\w./-]+[\w-]$/.test(address)) {
  console.error('Give the address of the repository: npm run repository -- https://github.com/you/nano-gateway')
  process.exitCode = 1
} else {
  const before = addressIn(read('package.json'))
  const manifests = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`)
  for (const file of ['package.json', ...manifests, 'README.md', 'deploy/helm/nano-gateway/Chart.yaml']) {
    writeFileSync(join(root, file), read(file).replaceAll(before, address))
  }
  console.log(`The repository is ${address} now, and was ${before}.`)
}

/*
 * Makes a release: `npm run release -- 0.2.1`. Writes the version and the date, stores the API description for the next release's comparison, runs all
 * checks on exactly that state, commits, tags and packs it. Nothing is pushed or published; the last line of the output says how. Any failure reverts
 * everything.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** Released together with the server, with the same version. */
const PACKAGES = ['packages/client', 'packages/devnet', 'packages/medusa']
const PLUGIN = 'integrations/woocommerce/nano-gateway.php'
/** The chart installs the image of its own version. */
const CHART = 'deploy/helm/nano-gateway/Chart.yaml'
const [version = ''] = process.argv.slice(2)

class Refusal extends Error {}

const isWindows = process.platform === 'win32'

function run(command, args, { quiet = false } = {}) {
  // On Windows, npm is a shell script.
  const shell = isWindows && command === 'npm'
  const stdio = quiet ? 'pipe' : ['ignore', 'inherit', 'inherit']
  const { status, stdout } = spawnSync(command, args, { cwd: root, stdio, shell, encoding: 'utf8' })
  if (status !== 0) throw new Refusal(`${command} ${args.join(' ')} failed; nothing is released.`)
  return stdout?.trim() ?? ''
}
const git = (...args) => run('git', args, { quiet: true })
const read = (file) => readFileSync(join(root, file), 'utf8')

const numbersOf = (text) => text.split('.').map(Number)
function isOlder(a, b) {
  const [x, y] = [numbersOf(a), numbersOf(b)]
  const at = x.findIndex((number, place) => number !== y[place])
  return at >= 0 && x[at] < y[at]
}

const HEADING = /^## (\S+?)(?:, .*)?$/m

function refuseUnready() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Refusal('Say which version: npm run release -- 0.2.1')
  const { version: current } = JSON.parse(read('package.json'))
  if (isOlder(version, current)) throw new Refusal(`${version} is older than ${current}, which is in package.json.`)
  if (git('status', '--porcelain') !== '')
    throw new Refusal('The tree is not clean: commit or remove what git status shows.')
  if (git('tag', '--list', `v${version}`) !== '') throw new Refusal(`v${version} is tagged already.`)
  const [, first] = HEADING.exec(read('CHANGELOG.md')) ?? []
  if (first !== version) {
    throw new Refusal(`CHANGELOG.md begins with ${first}: write what users notice under "## ${version}" above it.`)
  }
}

/** Writes the version, the date and the API description. */
function write() {
  run('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts'], { quiet: true })
  for (const folder of PACKAGES) {
    change(`${folder}/package.json`, (manifest) => (manifest.version = version))
    change('package-lock.json', ({ packages }) => (packages[folder].version = version))
  }
  const versions = /(?<=^ \* Version: |^const VERSION = ')[\d.]+/gm
  writeFileSync(join(root, PLUGIN), read(PLUGIN).replace(versions, version))
  writeFileSync(join(root, CHART), read(CHART).replace(/(?<=^(?:version|appVersion): )[\d.]+/gm, version))
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(join(root, 'CHANGELOG.md'), read('CHANGELOG.md').replace(HEADING, `## ${version}, ${day}`))
  run('npm', ['run', '--silent', 'keep-api'])
}

/** Rewrites a JSON file in npm's format. */
function change(file, edit) {
  const members = JSON.parse(read(file))
  edit(members)
  writeFileSync(join(root, file), `${JSON.stringify(members, null, 2)}\n`)
}

function pack() {
  // All packages were just built. npm's scripts would print into the JSON output.
  const packages = ['.', ...PACKAGES.map((folder) => `./${folder}`)].map((folder) => {
    const said = run('npm', ['pack', folder, '--json', '--ignore-scripts'], { quiet: true })
    return Object.values(JSON.parse(said))[0].filename
  })
  const zipped = run(process.execPath, [join('scripts', 'zip-woocommerce.mjs')], { quiet: true })
  return [...packages, basename(zipped)].join(', ')
}

function restore() {
  git('reset', '--hard', '--quiet', 'HEAD')
  // The tree was clean before, so untracked files that are not ignored were written here.
  git('clean', '--force', '--quiet', '-d')
}

function lastStep(tarball) {
  const { repository } = JSON.parse(read('package.json'))
  const isExample = new URL(repository.url.replace(/^git\+/, '')).hostname.endsWith('.example')
  const missing = isExample ? ['npm takes a provenance only for the real address: npm run repository -- https://…'] : []
  return [
    `Version ${version} is committed and tagged, and packed as ${tarball}.`,
    ...missing,
    `Publish it: git push origin HEAD v${version}`,
    'The workflow publish.yml then checks the tag again and runs npm publish --provenance for each of them.',
  ]
}

try {
  refuseUnready()
  let tarball
  try {
    write()
    run('npm', ['run', 'check'])
    run('npm', ['test', '--', '--thorough'])
    run('npm', ['run', 'build'])
    run(process.execPath, [join('scripts', 'build-client.mjs')])
    run(process.execPath, [join('scripts', 'build-devnet.mjs')])
    run(process.execPath, [join('scripts', 'build-medusa.mjs')])
    tarball = pack()
  } catch (error) {
    restore()
    throw error
  }
  git('add', '--all')
  // Empty if the version and its date were already committed.
  git('commit', '--quiet', '--allow-empty', '--message', `release: ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `nano-gateway ${version}`)
  console.log(lastStep(tarball).join('\n'))
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exit(1)
}

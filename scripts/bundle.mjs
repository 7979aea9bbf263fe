/*
 * Puts what the command line loads, its packages included, into a few files: to find, read and link two thousand takes most of a
 * start. `dist/cli.js` is the first of them and stands where it stood; the others are in `dist/bundle`, beside the licences of
 * what they hold. Everything else in `dist` stays as it was compiled: threads and importers of the package load it.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'

/** These load a binary that lies beside them. */
const NATIVE = ['koffi', 'sodium-native', 'pg-native']

/** These make traces. A build can do without them, and says so; a gateway that is to trace then refuses to start. */
const TRACING = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map((name) => `@opentelemetry/${name}`)

function listMissing(dist) {
  const missing = TRACING.filter((name) => !existsSync(join(dist, '../node_modules', name)))
  if (missing.length > 0) console.error(`Built without traces: ${missing.join(', ')} not installed.`)
  return missing
}

/** What a file asks about its own place is answered with the place it was compiled to. */
const placesOf = (dist) => ({
  name: 'places',
  setup(building) {
    building.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const from = relative(dist, path).replaceAll('\\', '/')
      if (from.startsWith('..')) return undefined
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta')) return undefined
      const place = `const __place = new URL(${JSON.stringify(from)}, __dist);\n`
      const contents = text
        .replaceAll('import.meta.dirname', `__fileOf(new URL('.', __place))`)
        .replaceAll('import.meta.url', '__place.href')
      return { contents: place + contents, loader: 'js' }
    })
  },
})

/**
 * The router compiles a function for the prefix of each node of its tree, and again whenever a node is split: a tenth of a
 * start. The same comparison without compiling is as quick for the few requests that pass the router.
 */
const COMPILED = /return new Function\('path', 'i',[^\n]*\n/
const ROUTER = {
  name: 'router',
  setup(building) {
    building.onLoad({ filter: /[\\/]find-my-way[\\/]lib[\\/]node\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!COMPILED.test(text)) throw new Error('The router no longer compiles prefixes as this build knows it.')
      return { contents: text.replace(COMPILED, 'return (path, i) => path.startsWith(prefix, i)\n'), loader: 'js' }
    })
  },
}

const BANNER = [
  `import { createRequire as __requireFrom } from 'node:module';`,
  `import { fileURLToPath as __fileOf } from 'node:url';`,
  `const require = __requireFrom(import.meta.url);`,
  `const __dist = new URL(/\\/bundle\\/[^/]*$/.test(import.meta.url) ? '../' : './', import.meta.url);`,
].join(' ')

export async function bundle(dist) {
  const { metafile } = await build({
    entryPoints: [join(dist, 'cli.js')],
    outdir: dist,
    allowOverwrite: true,
    chunkNames: 'bundle/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.13',
    external: [...NATIVE, ...listMissing(dist)],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    banner: { js: BANNER },
    plugins: [placesOf(dist), ROUTER],
  })
  writeFileSync(join(dist, 'bundle', 'LICENSES.txt'), licencesOf(Object.keys(metafile.inputs)))
}

/** The licences of all packages that some files belong to. */
function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one))
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

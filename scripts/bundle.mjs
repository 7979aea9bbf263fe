/*
 * Bundles the command line and its packages into a few files. Finding, reading and linking two thousand files would take most of a start; and users need
 * to install only the packages with binaries. `dist/cli.js` is the first file; the others are in `dist/bundle`, with the licences of the bundled packages.
 * Everything that `start` loads is in `gateway.cjs`, so that V8's compiled code can be cached. Threads, processes and the package's exports are separate
 * files. All other compiled files are removed.
 */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'

/** Packages that load a binary file from their own folder. */
const NATIVE = ['koffi', 'sodium-native', 'pg-native']

/** Packages for traces. A build without them works and prints a note; a gateway that is configured to trace then refuses to start. */
const TRACING = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map((name) => `@opentelemetry/${name}`)

function listMissing(dist) {
  const missing = TRACING.filter((name) => !existsSync(join(dist, '../node_modules', name)))
  if (missing.length > 0) console.error(`Built without traces: ${missing.join(', ')} not installed.`)
  return missing
}

/** `import.meta` of a bundled file resolves to the path that it was compiled to. */
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
 * The router compiles a function for the prefix of each node of its tree, again whenever a node is split; that takes a tenth of a start. A plain
 * comparison is as fast for the few requests that pass the router.
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

/** The tracing code is loaded only if a collector is configured. It shares nothing with the gateway but types. */
const TRACES = {
  name: 'traces',
  setup(building) {
    building.onResolve({ filter: /^\.\/otlp\.js$/ }, () => ({ path: './traces.js', external: true }))
  },
}

const bannerOf = (dist) =>
  [
    `import { createRequire as __requireFrom } from 'node:module';`,
    `import { fileURLToPath as __fileOf } from 'node:url';`,
    `const require = __requireFrom(import.meta.url);`,
    `const __dist = new URL(${dist}, import.meta.url);`,
  ].join(' ')
/** For files in `dist` and in `dist/bundle`. */
const BANNER = bannerOf(`/\\/bundle\\/[^/]*$/.test(import.meta.url) ? '../' : './'`)

const listScripts = (dist) =>
  readdirSync(dist, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.js') && !/^(?:bundle|web\/assets)\//.test(file))
/** Files that are loaded by name: threads, processes, and the package's exports. */
const isApart = (file) => /-(?:worker|process)\.js$/.test(file) || /^exports\/(?:names|x402)\.js$/.test(file)

export async function bundle(dist) {
  const shared = {
    bundle: true,
    platform: 'node',
    target: 'node22.13',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [placesOf(dist), ROUTER],
  }
  const external = [...NATIVE, ...listMissing(dist)]
  const traces = await build({
    ...shared,
    entryPoints: [join(dist, 'infra', 'traces', 'otlp.js')],
    outfile: join(dist, 'bundle', 'traces.js'),
    format: 'esm',
    external,
    banner: { js: BANNER },
  })
  const whole = await build({
    ...shared,
    plugins: [...shared.plugins, TRACES],
    entryPoints: [join(dist, 'start.js')],
    outfile: join(dist, 'bundle', 'gateway.cjs'),
    format: 'cjs',
    external,
    banner: { js: `const __fileOf = require('node:url').fileURLToPath;` },
  })
  toAscii(join(dist, 'bundle', 'gateway.cjs'))
  const split = await build({
    ...shared,
    entryPoints: [join(dist, 'cli.js')],
    outdir: dist,
    allowOverwrite: true,
    chunkNames: 'bundle/[hash]',
    splitting: true,
    format: 'esm',
    // The whole gateway is in the other bundle.
    external: [...external, './start.js'],
    banner: { js: BANNER },
  })
  const scripts = listScripts(dist)
  const apart = []
  for (const file of scripts.filter(isApart)) {
    const depth = file.split('/').length - 1
    const banner = { js: bannerOf(`'${'../'.repeat(depth)}'`) }
    const entry = join(dist, file)
    apart.push(
      await build({
        ...shared,
        entryPoints: [entry],
        outfile: entry,
        allowOverwrite: true,
        format: 'esm',
        external,
        banner,
      }),
    )
  }
  for (const file of scripts) if (file !== 'cli.js' && !isApart(file)) rmSync(join(dist, file))
  const files = [traces, whole, split, ...apart].flatMap(({ metafile }) => Object.keys(metafile.inputs))
  writeFileSync(join(dist, 'bundle', 'LICENSES.txt'), licencesOf([...new Set(files)]))
}

/** One character outside Latin-1 would make V8 store the whole text with two bytes per character. Regular expressions are left alone. */
function toAscii(file) {
  const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/[^\0-\x7F]/g, escape))
}

/** The licences of all packages in the given files. */
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

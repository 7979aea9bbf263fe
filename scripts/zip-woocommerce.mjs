// Makes the WooCommerce plug-in as a zip for WordPress: `npm run zip:woocommerce -- --to FOLDER`. The same files give the same bytes.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { crc32, deflateRawSync } from 'node:zlib'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const home = join(root, 'integrations/woocommerce')
/** The plug-in's folder in WordPress. */
const NAME = 'nano-gateway'
/** 1980-01-01: the earliest date of the format. */
const DAY = 0x21

function listFiles() {
  const own = readdirSync(home, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ name: relative(home, file).replaceAll('\\', '/'), file }))
  return [...own, { name: 'LICENSE', file: join(root, 'LICENSE') }].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The fields that a file's header and its directory entry share, from the version needed. */
function fieldsOf({ name, body, packed }) {
  const fields = Buffer.alloc(26)
  // Version 2.0, names in UTF-8, deflated.
  for (const [at, value] of [20, 0x0800, 8, 0, DAY].entries()) fields.writeUInt16LE(value, at * 2)
  for (const [at, value] of [crc32(body), packed.length, body.length].entries())
    fields.writeUInt32LE(value, 10 + at * 4)
  fields.writeUInt16LE(name.length, 22)
  return fields
}

function zip(files) {
  const parts = []
  const directory = []
  let offset = 0
  for (const { name: path, file } of files) {
    const body = readFileSync(file)
    const entry = { name: Buffer.from(`${NAME}/${path}`), body, packed: deflateRawSync(body, { level: 9 }) }
    const fields = fieldsOf(entry)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, entry.name, entry.packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, entry.name]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  for (const at of [8, 10]) end.writeUInt16LE(files.length, at)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}

const { values } = parseArgs({ options: { to: { type: 'string', default: root } } })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = resolve(values.to)
mkdirSync(folder, { recursive: true })
const file = join(folder, `nano-gateway-woocommerce-${version}.zip`)
writeFileSync(file, zip(listFiles()))
console.log(file)

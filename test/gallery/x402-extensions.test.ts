import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { TERMS, openShop, requiredOf } from '../support/x402-steps.ts'
import { runClient } from './run-client.ts'

interface Verdict {
  valid: boolean
  errors?: string[]
}
interface Resource {
  resource: string
  accepts: { amount: string }[]
  extensions: { bazaar: object }
}
interface Page {
  items: Resource[]
  pagination: object
}
interface Library {
  validateDiscoveryExtension(extension: object): Verdict
  validateDiscoveryExtensionSpec(extension: object): Verdict
  extractDiscoveryInfo(payload: object, terms: object): { resourceUrl: string; method: string } | null
  withBazaar(client: HTTPFacilitatorClient): {
    extensions: { bazaar: { listResources(sought?: object): Promise<Page> } }
  }
}

/* Programs find the offers with the official discovery package. */
test(
  '@x402/extensions: the stock client of the bazaar reads the catalogue, and finds every challenge in order (contract 4.7, Other endpoints of 4.7: GET /discovery/resources)',
  runClient('@x402/extensions', async ({ t, steps, access, folder }) => {
    const { validateDiscoveryExtension, validateDiscoveryExtensionSpec, extractDiscoveryInfo, withBazaar } =
      createRequire(join(folder, 'package.json'))('@x402/extensions/bazaar') as Library
    const names = ['work_generate', 'block_hash', 'account_history', 'version']
    const { url, call } = await openShop(t, { X402_ACTIONS: names.join(','), BASE_URL: 'https://rpc.example' })
    const check = (extension: object) => {
      assert.deepEqual(validateDiscoveryExtensionSpec(extension), { valid: true })
      assert.deepEqual(validateDiscoveryExtension(extension), { valid: true })
    }
    await steps.step('challenge', async () => {
      for (const name of names) {
        const { extensions, resource } = requiredOf(await call(name))
        check(extensions.bazaar)
        const found = extractDiscoveryInfo({ x402Version: 2, resource, extensions }, TERMS)
        assert.deepEqual([found?.resourceUrl, found?.method], [`https://rpc.example/actions/${name}`, 'POST'])
      }
    })
    const { bazaar } = withBazaar(new HTTPFacilitatorClient({ url: `${url}${access}` })).extensions
    await steps.step('list', async () => {
      const { items, pagination } = await bazaar.listResources()
      assert.deepEqual(
        items.map(({ resource }) => resource),
        names.map((name) => `https://rpc.example/actions/${name}`),
      )
      for (const { extensions } of items) check(extensions.bazaar)
      assert.deepEqual(pagination, { limit: 100, offset: 0, total: 4 })
    })
    await steps.step('filter', async () => {
      const second = await bazaar.listResources({ limit: 1, offset: 1, network: 'nano:mainnet', extensions: 'bazaar' })
      assert.deepEqual([second.items.length, second.items[0]?.resource], [1, 'https://rpc.example/actions/block_hash'])
      assert.deepEqual((await bazaar.listResources({ type: 'mcp' })).items, [])
    })
  }),
)

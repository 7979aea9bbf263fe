import type { World } from '../world.ts'

export const title = 'An API key'

export async function run(world: World): Promise<void> {
  world.screen.say('The first start prints an administrator key. With it we make a key for a shop:')
  const admin = { Authorization: `Bearer ${world.app.createdKey}` }
  const { body } = await world.request('POST', '/api/keys', { name: 'Coffee shop' }, admin)
  world.key = String(body.key)
  world.screen.done('The key is shown once; the gateway keeps its hash.')
}

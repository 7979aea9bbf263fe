import type { World } from '../world.ts'

export const title = 'An API key'

export async function run(world: World): Promise<void> {
  world.screen.say('The first start printed an administrator key. A shop gets one of its own.')
  const admin = { authorization: `Bearer ${world.app.createdKey}` }
  const { body } = await world.request('POST', '/api/keys', { name: 'Coffee shop' }, admin)
  world.key = String(body.key)
  world.screen.done('It is shown once, and kept as a hash.')
}

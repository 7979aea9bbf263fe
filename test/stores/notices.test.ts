import { test } from 'node:test'
import { openFresh } from '../support/engines.ts'
import { query } from '../support/postgres.ts'
import { untilReceived } from '../support/until-received.ts'
import { until } from '../support/until.ts'

test('notices come back after the connection that listens was cut', async (t) => {
  const world = await openFresh(t, 'postgres')
  const another = await world.openAnother()
  await untilReceived(world, another)
  const listeners = `from pg_stat_activity where datname = current_database() and query like 'listen%'`
  await query(world.url, `select pg_terminate_backend(pid) ${listeners}`)
  await until(async () => (await query(world.url, `select pid ${listeners}`)).length === 0)
  await until(async () => {
    world.clock.advance(1_000)
    return (await query(world.url, `select pid ${listeners}`)).length >= 2
  })
  await untilReceived(world, another)
})

import { type Screen, openScreen } from './screen.ts'
import * as checkout from './steps/checkout.ts'
import * as email from './steps/email.ts'
import * as key from './steps/key.ts'
import * as payPerRequest from './steps/pay-per-request.ts'
import * as username from './steps/username.ts'
import * as wallet from './steps/wallet.ts'
import { type World, openWorld } from './world.ts'

interface Step {
  title: string
  run(world: World): Promise<void>
}

const STEPS: readonly Step[] = [key, checkout, wallet, username, email, payPerRequest]

/** Shows what most users come for, on a temporary ledger. */
export async function runTour(screen: Screen, env: Record<string, string> = {}): Promise<void> {
  const world = await openWorld(screen, env)
  try {
    screen.say(
      `A fresh gateway answers at ${world.app.url}. Its development ledger, at ${world.app.devnet!.rpcUrl}, gives play money: nothing here costs anything.`,
    )
    screen.say('→ is what was sent, ← what came back, ✓ what was checked. The tour has these parts:')
    for (const [at, { title }] of STEPS.entries()) screen.say(`${at + 1}. ${title}`)
    for (const [at, step] of STEPS.entries()) {
      screen.title(at + 1, STEPS.length, step.title)
      await step.run(world)
    }
  } finally {
    await world.close()
  }
}

const FAREWELL = `
That was the tour. To try it by hand:

  npm start                                     the gateway, until you stop it
  http://127.0.0.1:8080/                        what it is
  http://127.0.0.1:8080/docs                    every action, with a form that runs it
  http://127.0.0.1:8080/docs/first-payment      your first payment, with curl
  http://127.0.0.1:8080/dashboard               what it is doing
`

if (import.meta.main) {
  const startedAt = performance.now()
  const colours = process.env.NO_COLOR === undefined && (process.stdout.isTTY || process.env.FORCE_COLOR !== undefined)
  const write = (text: string) => void process.stdout.write(text)
  await runTour(openScreen(write, colours))
  write(FAREWELL)
  write(`\n${((performance.now() - startedAt) / 1000).toFixed(1)} seconds.\n`)
}

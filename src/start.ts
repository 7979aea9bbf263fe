import { useFastestCurve } from './infra/sodium-curve.ts'

/** Loads and starts the gateway. The library for signatures is selected before loading code that signs at once. */
export async function startGateway(): Promise<void> {
  useFastestCurve()
  const { runGateway } = await import('./main.ts')
  await runGateway()
}

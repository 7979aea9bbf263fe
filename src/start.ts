import { useFastestCurve } from './infra/sodium-curve.ts'

/** The gateway with everything it loads. Who computes signatures is settled before anything is loaded that signs at once. */
export async function startGateway(role?: string): Promise<void> {
  useFastestCurve()
  const { runGateway } = await import('./main.ts')
  await runGateway(role)
}

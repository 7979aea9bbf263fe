import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Answers the port: with 0 it is whichever was free. */
export async function listenAt(
  server: FastifyInstance,
  { port, host }: { port: number; host: string },
  reusePort = false,
): Promise<number> {
  // A server that shares its port needs Node's own option, which the router passes on and does not know.
  const where: { port: number; host: string } = { port, host, ...(reusePort && { reusePort }) }
  await server.listen(where).catch(refuseTaken(port))
  return (server.server.address() as AddressInfo).port
}

/** What an owner before us has left at the path goes. */
export async function listenBehind(server: FastifyInstance, socketPath: string): Promise<void> {
  rmSync(socketPath, { force: true })
  await server.listen({ path: socketPath })
}

/** Tells which port is taken, and which setting names another. */
export const refuseTaken =
  (port: number) =>
  (error: unknown): never => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is already in use. Start with another one: PORT=${port + 1} npm start`, {
      cause: error,
    })
  }

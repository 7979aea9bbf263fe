import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Answers the port; with 0 it is the free one that the system chose. */
export async function listenAt(
  server: FastifyInstance,
  { port, host }: { port: number; host: string },
  reusePort = false,
): Promise<number> {
  // Sharing a port needs Node's own option, which the framework passes on but does not type.
  const where: { port: number; host: string } = { port, host, ...(reusePort && { reusePort }) }
  await server.listen(where).catch(refuseTaken(port))
  return (server.server.address() as AddressInfo).port
}

/** Removes the socket file that an earlier owner has left at the path. */
export async function listenBehind(server: FastifyInstance, socketPath: string): Promise<void> {
  rmSync(socketPath, { force: true })
  await server.listen({ path: socketPath })
}

/** An error that names the taken port, and the setting that chooses another. */
export const refuseTaken =
  (port: number) =>
  (error: unknown): never => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is already in use. Start with another one: PORT=${port + 1} npm start`, {
      cause: error,
    })
  }

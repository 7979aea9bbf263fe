import { FIRST_WORD, type HashSteps, type Operation } from '../blake2b-steps.ts'

/** Nonces that one work item tries side by side, in a vector. Cards mostly want one, processors as many as a register holds. */
export const LANES = [1, 2, 4, 8] as const

const WORDS = Array.from({ length: 16 }, (_, index) => `v${index}`)

/**
 * The search as OpenCL C, which the driver of a device compiles for it:
 *
 *   search(constants, start, stride, rounds, threshold, result)
 *
 * Every work item tries `rounds` nonces for each lane, `stride` apart. `result` is the number of finds and, eight bytes
 * further on, the nonce of the first of them.
 */
export function emitOpenCl(hash: HashSteps, lanes: number): string {
  const type = lanes === 1 ? 'ulong' : `ulong${lanes}`
  const all = (value: string) => `(${type})(${value})`
  const line = ({ kind, to, left, right, bits }: Operation) =>
    kind === 'add' ? `${to} = ${left} + ${right};` : `${to} = rotate(${left} ^ ${right}, ${all(`${64 - bits}UL`)});`
  return `__kernel void search(__global const ulong *constants, ulong start, ulong stride, uint rounds, ulong threshold,
                     volatile __global uint *result) {
${hash.constants.map((name, index) => `const ${type} ${name} = ${all(`constants[${index}]`)};`).join('\n')}
${type} nonce = ${all(`start + (ulong)get_global_id(0) * ${lanes}UL`)} + ${firstNonces(type, lanes)};
${type} ${WORDS.join(', ')};
for (uint round = 0; round < rounds; round++) {
${hash.steps.flat().map(line).join('\n')}
const ${type} value = v0 ^ v8 ^ ${all(`0x${FIRST_WORD.toString(16)}UL`)};
${lanes === 1 ? oneLane : manyLanes(type, lanes)}
nonce += ${all('stride')};
}
}
`
}

const firstNonces = (type: string, lanes: number) =>
  `(${type})(${Array.from({ length: lanes }, (_, lane) => `${lane}UL`).join(', ')})`

const tell = (nonce: string) => `if (atomic_inc(result) == 0) ((volatile __global ulong *)result)[1] = ${nonce};`

const oneLane = `if (value >= threshold) ${tell('nonce')}`

const manyLanes = (type: string, lanes: number) => `if (any(value >= (${type})(threshold))) {
ulong values[${lanes}], nonces[${lanes}];
vstore${lanes}(value, 0, values);
vstore${lanes}(nonce, 0, nonces);
for (int lane = 0; lane < ${lanes}; lane++) if (values[lane] >= threshold) ${tell('nonces[lane]')}
}`

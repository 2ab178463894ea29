/** `up` is away from zero, `down` toward zero, `half-up` to the nearest, and a half away from zero. */
export type Rounding = 'up' | 'down' | 'half-up'

/** numerator ÷ denominator, rounded as requested. The denominator is positive. */
export function roundedQuotient(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const [sign, size] = numerator < 0n ? [-1n, -numerator] : [1n, numerator]
  const quotient = size / denominator
  const rest = size % denominator
  const isNext = { up: rest > 0n, down: false, 'half-up': rest * 2n >= denominator }[rounding]
  return sign * (isNext ? quotient + 1n : quotient)
}

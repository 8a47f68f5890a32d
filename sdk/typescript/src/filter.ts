// Conditions on memories.

/** What the filter grammar of the API takes. */
export type Filter = Record<string, unknown>;

export type Operator =
  | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin"
  | "contains" | "icontains" | "startswith" | "regex" | "exists";

/** Makes conditions: F.and(F.tag("travel"), F.not(F.equals({ kind: "note" })), F.after("2025-06-01")). */
export const F = {
  /** A field compared by an operator. */
  where: (field: string, operator: Operator, value: unknown): Filter => ({ [field]: { [operator]: value } }),
  /** Fields that have these values. */
  equals: (fields: Record<string, unknown>): Filter => ({ ...fields }),
  /** A tag. */
  tag: (tag: string): Filter => ({ tags: { contains: tag } }),
  /** Said at this time or later. */
  after: (time: string | Date): Filter => ({ event_time: { gte: time } }),
  /** Said before this time. */
  before: (time: string | Date): Filter => ({ event_time: { lt: time } }),
  and: (...conditions: Filter[]): Filter => ({ and: conditions }),
  or: (...conditions: Filter[]): Filter => ({ or: conditions }),
  not: (condition: Filter): Filter => ({ not: condition }),
};

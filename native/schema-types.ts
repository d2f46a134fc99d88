// The part of Pulumi's schema language that this plugin uses.

export interface Property {
  type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
  $ref?: string;
  items?: Property;
  additionalProperties?: Property;
  oneOf?: readonly Property[];
  description?: string;
  secret?: boolean;
  replaceOnChanges?: boolean;
}

export interface ObjectType {
  type?: "object";
  description?: string;
  properties: Record<string, Property>;
  required?: readonly string[];
}

export const refTo = (type: string): { $ref: string } => ({ $ref: `#/types/compute:index:${type}` });

/** The property as an output, which has no rule for changes. */
export const plain = ({ replaceOnChanges: _, ...rest }: Property): Property => rest;

# Generated from ../_async by: go test ./sdk -update

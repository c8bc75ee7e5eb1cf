"""The planar chain, its contacts and its path as functions of s: nothing here controls."""

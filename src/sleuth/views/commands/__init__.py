"""The commands of `sleuth`, one file each."""
